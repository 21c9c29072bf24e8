// Command definitions_oracle prints what upstream makes of definitions and compositions: CRDs, ClusterRoles, revisions.
//
// It is built inside a copy of upstream's module, once with lineage_v1.go and once with lineage_v2.go, because that is
// where the packages are that it asks.
package main

import (
	"encoding/json"
	"os"
)

type question struct {
	Definition  json.RawMessage `json:"definition,omitempty"`
	Composition json.RawMessage `json:"composition,omitempty"`
	Revision    int64           `json:"revision,omitempty"`
}

type answer struct {
	Composite any    `json:"composite,omitempty"`
	Claim     any    `json:"claim,omitempty"`
	Roles     any    `json:"roles,omitempty"`
	Revision  any    `json:"revision,omitempty"`
	Hash      string `json:"hash,omitempty"`
	Error     string `json:"error,omitempty"`
}

func ask(q question) answer {
	if q.Composition != nil {
		c := &Composition{}
		if err := json.Unmarshal(q.Composition, c); err != nil {
			return answer{Error: err.Error()}
		}
		return answer{Hash: c.Hash(), Revision: revision(c, q.Revision)}
	}
	d := &Definition{}
	if err := json.Unmarshal(q.Definition, d); err != nil {
		return answer{Error: err.Error()}
	}
	xr, err := composite(d.DeepCopy())
	if err != nil {
		return answer{Error: err.Error()}
	}
	a := answer{Composite: xr, Roles: roles(d.DeepCopy())}
	if d.Spec.ClaimNames == nil {
		return a
	}
	xrc, err := claim(d.DeepCopy())
	if err != nil {
		return answer{Error: err.Error()}
	}
	a.Claim = xrc
	return a
}

func main() {
	questions := []question{}
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, q := range questions {
		answers = append(answers, ask(q))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
