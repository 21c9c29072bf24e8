// Writes down what the API server's decoder calls the types of fields, as far as that does not follow from the table of
// protobuf messages: enumerations, named lists and maps. It is read off the Go types by reflection. To run it:
//
//	cd tools/go_types && go run . > ../../src/plumbline/apiserver/decoding/names.txt
//
// How the lines read is said where they are read: src/plumbline/apiserver/decoding/names.py.
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"
)

func main() {
	seen := map[string][]string{}
	for _, goType := range sentKinds() {
		visit(goType, seen)
	}
	names := make([]string, 0, len(seen))
	for name, lines := range seen {
		if len(lines) > 0 {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, name := range names {
		fmt.Fprintln(out, name)
		for _, line := range seen[name] {
			fmt.Fprintln(out, " "+line)
		}
	}
}

// visit notes the fields of goType whose types have names of their own, and goes on to all that it refers to.
func visit(goType reflect.Type, seen map[string][]string) {
	if goType.Kind() != reflect.Struct || !strings.HasPrefix(goType.PkgPath(), "k8s.io/") {
		return
	}
	name := nameOf(goType)
	if _, done := seen[name]; done {
		return
	}
	seen[name] = nil
	if decodesItself(goType) {
		return
	}
	for index := range goType.NumField() {
		field := goType.Field(index)
		held := pointee(field.Type)
		if line := named(held); line != "" && jsonName(field) != "" {
			seen[name] = append(seen[name], jsonName(field)+" "+line)
		}
		visit(held, seen)
		if held.Kind() == reflect.Slice || held.Kind() == reflect.Map {
			visit(pointee(held.Elem()), seen)
			if below := pointee(held.Elem()); below.Kind() == reflect.Slice {
				visit(pointee(below.Elem()), seen)
			}
		}
	}
}

// named is what a reader cannot know: the name of a scalar or item, and after it that of the list or map itself.
func named(held reflect.Type) string {
	switch {
	case isMessage(held):
		return ""
	case held.Kind() == reflect.Map:
		return containerName(held, "map[string]")
	case held.Kind() == reflect.Slice && held.Elem().Kind() != reflect.Uint8:
		return containerName(held, "[]")
	case held.String() != plain(held):
		return held.String()
	}
	return ""
}

func containerName(held reflect.Type, prefix string) string {
	item := held.Elem().String()
	whole := held.String()
	switch {
	case whole != prefix+item:
		return item + " " + whole
	case item != plain(held.Elem()):
		return item
	}
	return ""
}

// plain is what the table of messages says of a type.
func plain(goType reflect.Type) string {
	if isMessage(goType) {
		return goType.String()
	}
	if goType.Kind() == reflect.Slice && goType.Elem().Kind() == reflect.Uint8 {
		return "[]uint8"
	}
	return goType.Kind().String()
}

func pointee(goType reflect.Type) reflect.Type {
	if goType.Kind() == reflect.Pointer {
		return goType.Elem()
	}
	return goType
}

func isMessage(goType reflect.Type) bool {
	return reflect.PointerTo(goType).Implements(reflect.TypeFor[interface{ Unmarshal([]byte) error }]())
}

func decodesItself(goType reflect.Type) bool {
	return reflect.PointerTo(goType).Implements(reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]())
}

// nameOf has the end of the package's path, which is short and still unique: `apps/v1.Deployment`.
func nameOf(goType reflect.Type) string {
	parts := strings.Split(goType.PkgPath(), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/") + "." + goType.Name()
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" && !field.Anonymous {
		return field.Name
	}
	return name
}
