// Renders with Crossplane's own engine what it is given on stdin as JSON, and prints what its CLI would print.
// It is built inside a copy of Crossplane's module, whose engine nobody else may import.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane/crossplane/v2/internal/render/composite"
	render "github.com/crossplane/crossplane/v2/proto/render/v1alpha1"
)

type given struct {
	Composite, Composition map[string]any
	Definition             map[string]any
	Functions              map[string]string
	Observed, Required     []map[string]any
	Secrets                []map[string]any
	Results                bool
}

func message(object map[string]any) *structpb.Struct {
	made, err := structpb.NewStruct(object)
	if err != nil {
		panic(err)
	}
	return made
}

func messages(objects []map[string]any) (made []*structpb.Struct) {
	for _, each := range objects {
		made = append(made, message(each))
	}
	return made
}

func object(of *structpb.Struct) *unstructured.Unstructured {
	text, err := of.MarshalJSON()
	if err != nil {
		panic(err)
	}
	made := &unstructured.Unstructured{}
	if err := made.UnmarshalJSON(text); err != nil {
		panic(err)
	}
	return made
}

func show(each *unstructured.Unstructured) {
	if found, ok, _ := unstructured.NestedSlice(each.Object, "status", "conditions"); ok {
		for _, condition := range found {
			condition.(map[string]any)["lastTransitionTime"] = "2024-01-01T00:00:00Z"
		}
		_ = unstructured.SetNestedSlice(each.Object, found, "status", "conditions")
	}
	fmt.Println("---")
	yaml := kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, nil, nil, kjson.SerializerOptions{Yaml: true})
	if err := yaml.Encode(each, os.Stdout); err != nil {
		panic(err)
	}
}

func main() {
	var in given
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		panic(err)
	}
	request := &render.CompositeInput{
		CompositeResource: message(in.Composite),
		Composition:       message(in.Composition),
		ObservedResources: messages(in.Observed),
		RequiredResources: messages(in.Required),
		Credentials:       messages(in.Secrets),
	}
	if in.Definition != nil {
		request.CompositeResourceDefinition = message(in.Definition)
	}
	for name, address := range in.Functions {
		request.Functions = append(request.Functions, &render.FunctionInput{Name: name, Address: address})
	}
	out, err := composite.Render(context.Background(), logging.NewNopLogger(), request)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	show(object(out.GetCompositeResource()))
	composed := []*unstructured.Unstructured{}
	for _, each := range out.GetComposedResources() {
		composed = append(composed, object(each))
	}
	name := func(at int) string { return composed[at].GetAnnotations()["crossplane.io/composition-resource-name"] }
	sort.SliceStable(composed, func(i, j int) bool { return name(i) < name(j) })
	for _, each := range composed {
		show(each)
	}
	if !in.Results {
		return
	}
	for _, each := range out.GetEvents() {
		show(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "render.crossplane.io/v1beta1", "kind": "Result",
			"severity": each.GetType(), "reason": each.GetReason(), "message": each.GetMessage(),
		}})
	}
}
