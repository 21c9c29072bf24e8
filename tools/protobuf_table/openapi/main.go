// Writes the table that the OpenAPI v2 document is encoded with, read off the descriptors of gnostic's messages. To run
// it:
//
//	cd tools/protobuf_table && go run ./openapi > ../../src/plumbline/apiserver/protobuf/openapi_v2.txt
//
// How the lines read is said where they are read: src/plumbline/apiserver/protobuf/openapi.py.
package main

import (
	"fmt"
	"strings"

	openapi "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func main() {
	messages := openapi.File_openapiv2_OpenAPIv2_proto.Messages()
	for index := range messages.Len() {
		message := messages.Get(index)
		if strings.HasPrefix(string(message.Name()), "Named") {
			continue
		}
		if index > 0 {
			fmt.Println()
		}
		fmt.Println(message.Name())
		for each := range message.Fields().Len() {
			field := message.Fields().Get(each)
			fmt.Println("", jsonName(field), field.Number(), typeName(field))
		}
	}
}

// jsonName is the field's key in the document, `x-` for all keys that begin so, or `*` for all others.
func jsonName(field protoreflect.FieldDescriptor) string {
	switch {
	case field.Name() == "vendor_extension":
		return "x-"
	case isNamed(field):
		return "*"
	case field.Name() == "_ref":
		return "$ref"
	}
	return field.JSONName()
}

// typeName is a scalar, or the message that a value or an item becomes.
func typeName(field protoreflect.FieldDescriptor) string {
	held := field
	if isNamed(field) {
		held = field.Message().Fields().ByName("value")
	}
	if held.Kind() == protoreflect.MessageKind {
		return shape(field) + string(held.Message().Name())
	}
	return shape(field) + held.Kind().String()
}

func shape(field protoreflect.FieldDescriptor) string {
	switch {
	case isNamed(field):
		return "{}"
	case field.IsList():
		return "[]"
	}
	return ""
}

// isNamed says whether the field is a map, written as a list of names and values.
func isNamed(field protoreflect.FieldDescriptor) bool {
	return field.IsList() && field.Message() != nil && strings.HasPrefix(string(field.Message().Name()), "Named")
}
