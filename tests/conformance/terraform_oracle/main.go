// Answers what go-cty and text/template make of typed values: JSON in, JSON out.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"text/template"

	ctyjson "github.com/zclconf/go-cty/cty/json"
)

type question struct {
	Value  string         `json:"value"`
	Type   string         `json:"type"`
	Text   string         `json:"text"`
	Inputs map[string]any `json:"inputs"`
}

type answer struct {
	Value  json.RawMessage `json:"value,omitempty"`
	Filled string          `json:"filled,omitempty"`
	Fault  bool            `json:"fault,omitempty"`
}

// A tuple with too few elements makes go-cty panic where it wants to complain.
func typed(asked question) (given answer) {
	defer func() {
		if recover() != nil {
			given = answer{Fault: true}
		}
	}()
	found, err := ctyjson.UnmarshalType([]byte(asked.Type))
	if err != nil {
		return answer{Fault: true}
	}
	value, err := ctyjson.Unmarshal([]byte(asked.Value), found)
	if err != nil {
		return answer{Fault: true}
	}
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return answer{Fault: true}
	}
	return answer{Value: text}
}

func filled(asked question) answer {
	read, err := template.New("values").Delims("${{", "}}").Parse(asked.Text)
	if err != nil {
		return answer{Fault: true}
	}
	var out bytes.Buffer
	if err := read.Execute(&out, asked.Inputs); err != nil {
		return answer{Fault: true}
	}
	return answer{Filled: out.String()}
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]answer, len(questions))
	for at, asked := range questions {
		if asked.Type != "" {
			answers[at] = typed(asked)
		} else {
			answers[at] = filled(asked)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
