// Answers questions about Crossplane's field paths, merges, transforms and patches by asking Crossplane's own packages.
// Standard input is a JSON list of questions, standard output the list of their answers. It has to be built inside the
// module of Crossplane, whose packages are internal; see `build` beside it.
package main

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"io"
	"os"
	"sort"

	"k8s.io/apimachinery/pkg/util/json"

	xpv1 "github.com/crossplane/crossplane-runtime/apis/common/v1"
	"github.com/crossplane/crossplane-runtime/pkg/fieldpath"
	"github.com/crossplane/crossplane-runtime/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/pkg/resource/unstructured/composed"
	"github.com/crossplane/crossplane-runtime/pkg/resource/unstructured/composite"

	v1 "github.com/crossplane/crossplane/apis/apiextensions/v1"
	impl "github.com/crossplane/crossplane/internal/controller/apiextensions/composite"
)

type question struct {
	Op         string                `json:"op"`
	Path       string                `json:"path"`
	Object     map[string]any        `json:"object"`
	Value      any                   `json:"value"`
	Options    *xpv1.MergeOptions    `json:"options"`
	Transforms []v1.Transform        `json:"transforms"`
	Patch      v1.Patch              `json:"patch"`
	Composite  map[string]any        `json:"composite"`
	Composed   map[string]any        `json:"composed"`
	Form       string                `json:"form"`
	Values     []any                 `json:"values"`
	Template   v1.ComposedTemplate   `json:"template"`
	Templates  []v1.ComposedTemplate `json:"templates"`
	PatchSets  []v1.PatchSet         `json:"patchSets"`
	Connection map[string]string     `json:"connection"`
}

type answer struct {
	Value    any    `json:"value"`
	Type     string `json:"type,omitempty"`
	Fault    string `json:"fault,omitempty"`
	NotFound bool   `json:"notFound,omitempty"`
}

func main() {
	given, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	var raw []stdjson.RawMessage
	if err := stdjson.Unmarshal(given, &raw); err != nil {
		panic(err)
	}
	answers := make([]answer, len(raw))
	for i, each := range raw {
		answers[i] = asked(each)
	}
	out, err := json.Marshal(answers)
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(out)
}

func asked(raw []byte) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Fault: fmt.Sprintf("panic: %v", r)}
		}
	}()
	q := question{}
	// Kubernetes' decoder: whole numbers are int64.
	if err := json.Unmarshal(raw, &q); err != nil {
		return answer{Fault: "unreadable: " + err.Error()}
	}
	value, err := q.answer()
	if err != nil {
		return answer{Fault: err.Error(), NotFound: fieldpath.IsNotFound(err)}
	}
	if _, err := json.Marshal(value); err != nil {
		return answer{Fault: "cannot marshal value to JSON: " + err.Error()}
	}
	return answer{Value: value, Type: fmt.Sprintf("%T", value)}
}

func (q question) answer() (any, error) {
	paved := fieldpath.Pave(q.Object)
	switch q.Op {
	case "parse":
		segments, err := fieldpath.Parse(q.Path)
		if err != nil {
			return nil, err
		}
		out := []any{}
		for _, s := range segments {
			if s.Type == fieldpath.SegmentIndex {
				out = append(out, int64(s.Index))
			} else {
				out = append(out, s.Field)
			}
		}
		return map[string]any{"segments": out, "text": segments.String()}, nil
	case "get":
		return paved.GetValue(q.Path)
	case "set":
		err := paved.SetValue(q.Path, q.Value)
		return paved.UnstructuredContent(), err
	case "delete":
		err := paved.DeleteField(q.Path)
		return paved.UnstructuredContent(), err
	case "expand":
		paths, err := paved.ExpandWildcards(q.Path)
		sort.Strings(paths)
		return paths, err
	case "merge":
		err := paved.MergeValue(q.Path, q.Value, q.Options)
		return paved.UnstructuredContent(), err
	case "transform":
		return impl.ResolveTransforms(v1.Patch{Transforms: q.Transforms}, q.Value)
	case "print":
		return fmt.Sprintf(q.Form, q.Values...), nil
	case "patch":
		xr, cd := composite.New(), composed.New()
		xr.Object, cd.Object = q.Composite, q.Composed
		err := impl.Apply(q.Patch, xr, cd)
		return map[string]any{"composite": xr.Object, "composed": cd.Object}, err
	case "inline":
		templates, err := impl.ComposedTemplates(q.PatchSets, q.Templates)
		counts := []int{}
		for _, each := range templates {
			counts = append(counts, len(each.Patches))
		}
		return counts, err
	case "connection":
		return q.details()
	case "ready":
		cd := composed.New()
		cd.Object = q.Composed
		return impl.IsReady(context.Background(), cd, impl.ReadinessChecksFromComposedTemplate(&q.Template)...)
	}
	return nil, fmt.Errorf("unknown question %q", q.Op)
}

func (q question) details() (any, error) {
	cd := composed.New()
	cd.Object = q.Composed
	known := managed.ConnectionDetails{}
	for key, value := range q.Connection {
		known[key] = []byte(value)
	}
	found, err := impl.ExtractConnectionDetails(cd, known, impl.ExtractConfigsFromComposedTemplate(&q.Template)...)
	out := map[string]string{}
	for key, value := range found {
		out[key] = string(value)
	}
	return out, err
}
