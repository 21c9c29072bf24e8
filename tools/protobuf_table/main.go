// Writes the table that the API server decodes protobuf request bodies with: for every kind that may be sent, its
// messages with field numbers and types, and what Go's JSON encoder does with fields that are not set. All of it is
// read off the Go types by reflection, so that a new Kubernetes version is a new line in go.mod. To run it:
//
//	cd tools/protobuf_table && go run . > ../../src/plumbline/apiserver/protobuf/messages.txt
//
// How the lines read is said where they are read: src/plumbline/apiserver/protobuf/table.py.
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
	book := newBook()
	for kind, goType := range sentKinds() {
		book.kinds[nameOf(goType)] = kind.GroupVersion().String()
		book.visit(goType)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for index, name := range book.names() {
		if index > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, strings.TrimSpace(name+" "+book.kinds[name]))
		for _, line := range book.messages[name] {
			fmt.Fprintln(out, " "+line)
		}
	}
}

// book holds the lines of each message, and the group-version of those that are kinds.
type book struct {
	messages map[string][]string
	kinds    map[string]string
}

func newBook() *book {
	return &book{messages: envelope(), kinds: map[string]string{}}
}

func (b *book) names() []string {
	names := make([]string, 0, len(b.messages))
	for name := range b.messages {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// visit notes the message that goType is, and all that it refers to.
func (b *book) visit(goType reflect.Type) {
	name := nameOf(goType)
	if _, done := b.messages[name]; done {
		return
	}
	b.messages[name] = nil
	if lines, known := handwritten[name]; known {
		b.messages[name] = lines
		return
	}
	if goType.Kind() == reflect.Slice {
		b.messages[name] = []string{"items 1 " + b.typeName(goType, goType.Elem(), "[]")}
		return
	}
	if encodesItself(goType) && !folded[name] {
		refuse("%s has a JSON form of its own that nobody wrote down", name)
	}
	var lines []string
	for index := range goType.NumField() {
		if field := goType.Field(index); field.Name != "TypeMeta" {
			lines = append(lines, b.line(goType, field))
		}
	}
	b.messages[name] = lines
}

// line says: JSON name, number, type, and the Go name where it does not follow from the JSON name.
func (b *book) line(owner reflect.Type, field reflect.StructField) string {
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		refuse("%s.%s has no protobuf tag", owner, field.Name)
	}
	jsonName, mark := jsonForm(field)
	words := []string{jsonName, tag[1], b.fieldType(owner, field) + mark}
	if field.Name != strings.ToUpper(jsonName[:1])+jsonName[1:] {
		words = append(words, field.Name)
	}
	return strings.Join(words, " ")
}

func (b *book) fieldType(owner reflect.Type, field reflect.StructField) string {
	goType := field.Type
	switch {
	case goType.Kind() == reflect.Pointer:
		return b.typeName(owner, goType.Elem(), "*")
	case isMessage(goType):
		return b.typeName(owner, goType, "")
	case goType.Kind() == reflect.Map:
		if goType.Key().Kind() != reflect.String {
			refuse("%s.%s is a map without string keys", owner, field.Name)
		}
		return b.typeName(owner, goType.Elem(), "{}")
	case goType.Kind() == reflect.Slice && goType.Elem().Kind() != reflect.Uint8:
		return b.typeName(owner, goType.Elem(), "[]")
	}
	return b.typeName(owner, goType, "")
}

func (b *book) typeName(owner, goType reflect.Type, prefix string) string {
	if isMessage(goType) {
		b.visit(goType)
		return prefix + strings.TrimPrefix(nameOf(goType), packageOf(owner)+".")
	}
	switch goType.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return prefix + goType.Kind().String()
	case reflect.Float64:
		return prefix + "double"
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return prefix + "bytes"
		}
	}
	refuse("%s in %s is of a sort that is not known", goType, owner)
	return ""
}

func isMessage(goType reflect.Type) bool {
	return reflect.PointerTo(goType).Implements(reflect.TypeFor[interface{ Unmarshal([]byte) error }]())
}

func encodesItself(goType reflect.Type) bool {
	return reflect.PointerTo(goType).Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]())
}

// packageOf is the end of the package's path, which is short and still unique: `apps/v1`.
func packageOf(goType reflect.Type) string {
	parts := strings.Split(goType.PkgPath(), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

func nameOf(goType reflect.Type) string { return packageOf(goType) + "." + goType.Name() }

// jsonForm is the name in JSON (`-` for fields that stand in their owner) and the mark for what is left out:
// `?` for omitempty where that has an effect, `!` for omitzero.
func jsonForm(field reflect.StructField) (string, string) {
	parts := strings.Split(field.Tag.Get("json"), ",")
	name, mark := parts[0], ""
	for _, option := range parts[1:] {
		switch {
		case option == "omitzero":
			mark = "!"
		case option == "omitempty" && mark == "" && field.Type.Kind() != reflect.Struct:
			mark = "?"
		case option != "omitempty" && option != "inline":
			refuse("%s has the JSON option %s", field.Name, option)
		}
	}
	if name == "" && field.Anonymous {
		return "-", mark
	}
	if name == "" {
		return field.Name, mark
	}
	return name, mark
}

func refuse(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}
