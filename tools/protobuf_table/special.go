package main

// envelope is what every body is wrapped in. Its `raw` is neither text nor base64, hence a type of its own.
func envelope() map[string][]string {
	return map[string][]string{
		"pkg/runtime.Unknown": {
			"typeMeta 1 TypeMeta", "raw 2 raw?", "contentEncoding 3 string", "contentType 4 string",
		},
		"pkg/runtime.TypeMeta": {"apiVersion 1 string? APIVersion", "kind 2 string?"},
	}
}

// handwritten are messages whose Go types do not show their fields, or show them as what they are not.
var handwritten = map[string][]string{
	"api/resource.Quantity":    {"string 1 *string? String_"},
	"apiextensions/v1.JSON":    {"raw 1 raw?"},
	"meta/v1.FieldsV1":         {"raw 1 raw?"},
	"meta/v1.MicroTime":        {"seconds 1 *int64?", "nanos 2 *int32?"},
	"meta/v1.Time":             {"seconds 1 *int64?", "nanos 2 *int32?"},
	"pkg/runtime.RawExtension": {"raw 1 raw?"},
}

// folded are messages that are no object in JSON. How they are folded is said in Python: protobuf/folds.py.
var folded = map[string]bool{
	"apiextensions/v1.JSONSchemaPropsOrArray":       true,
	"apiextensions/v1.JSONSchemaPropsOrBool":        true,
	"apiextensions/v1.JSONSchemaPropsOrStringArray": true,
	"util/intstr.IntOrString":                       true,
}
