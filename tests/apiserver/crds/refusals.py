"""What the real server said of each definition; long texts are cut in the middle."""

REFUSALS: dict[str, tuple[str, ...]] = {
    "a plain one": (),
    "two versions alike": (),
    "no storage version": (
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":fal ... nterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
        "status.storedVersions: Invalid value: null: must have at least one stored version",
    ),
    "a version twice": (
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":fals ... ONPath":".spec.b"}],"SelectableFields":[{"JSONPath":".spec.b"}]}]: must contain unique version names',
    ),
    "no versions": (
        "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
        "status.storedVersions: Invalid value: null: must have at least one stored version",
    ),
    "names that are none": (
        "metadata.name: Invalid value: \"Widgets.example.org\": a lowercase RFC 1123 subdomain must c ... om', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        "spec.names.plural: Invalid value: \"Widgets\": a DNS-1035 label must consist of lower case a ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.names.singular: Invalid value: \"wid get\": a DNS-1035 label must consist of lower case ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.names.kind: Invalid value: \"wid get\": may have mixed case, but should otherwise match ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.names.listKind: Invalid value: \"wid getList\": may have mixed case, but should otherwi ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    "another name than its own": (
        'metadata.name: Invalid value: "x.example.org": must be spec.names.plural+"."+spec.group',
    ),
    "no schema": ("spec.versions[0].schema.openAPIV3Schema: Required value",),
    "one version without schema": ("spec.versions[1].schema.openAPIV3Schema: Required value",),
    "a group without dot": ('spec.group: Invalid value: "nodot": should be a domain with at least one dot',),
    "a group that is no domain": (
        "metadata.name: Invalid value: \"widgets.A_b.c\": a lowercase RFC 1123 subdomain must consist ... om', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        "spec.group: Invalid value: \"A_b.c\": a lowercase RFC 1123 subdomain must consist of lower c ... om', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    "a protected group": (
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ),
    "no names": (
        'metadata.name: Invalid value: "widgets.example.org": must be spec.names.plural+"."+spec.group',
        "spec.names.plural: Required value",
        "spec.names.singular: Required value",
        "spec.names.kind: Required value",
        "spec.names.listKind: Required value",
    ),
    "a scope that is none": ('spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"',),
    "no scope": ("spec.scope: Required value",),
    "short names and categories": (
        "spec.names.shortNames[0]: Invalid value: \"A\": a DNS-1035 label must consist of lower case  ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        'spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same',
        "spec.names.categories[0]: Invalid value: \"All\": a DNS-1035 label must consist of lower cas ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    "bad version name": (
        "spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label must consist of lower case al ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.version: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeri ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    "columns": (
        "spec.additionalPrinterColumns[0].name: Required value",
        'spec.additionalPrinterColumns[0].type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].format: Invalid value: "z": must be one of byte,date,date-time,double,float,int32,int64,password',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
        "spec.additionalPrinterColumns[1].type: Required value: must be one of boolean,date,integer,number,string",
        "spec.additionalPrinterColumns[1].JSONPath: Required value",
    ),
    "scale in wrong places": (
        'spec.subresources.scale.specReplicasPath: Invalid value: ".x": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Invalid value: "y": must be a simple json path starting with .',
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".z": should be a json path under either .spec or .status',
    ),
    "scale without a place": ("spec.subresources.scale.specReplicasPath: Required value",),
    "deprecation of what is not deprecated": (
        'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
    ),
    "an empty deprecation": ('spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string',),
    "a broken deprecation": (
        'spec.versions[0].deprecationWarning: Invalid value: "a\\nb": must only contain printable UTF-8 characters; non-printable character found at index 1',
    ),
    "a long deprecation": (
        'spec.versions[0].deprecationWarning: Invalid value: "ééééééééééééééééééééééééééééééééééééé ... ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé": must be <= 256 characters long',
    ),
    "selectable fields": (
        'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"',
        'spec.selectableFields[2].jsonPath: Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.selectableFields[3].jsonPath: Invalid value: ".spec.z": is an invalid path: does not refer to a valid field',
        "spec.selectableFields[4].jsonPath: Required value",
        'spec.selectableFields[5].jsonPath: Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[6].jsonPath: Invalid value: "spec": is an invalid path: expected [ or . but got: spec',
        "spec.selectableFields[7].jsonPath: Invalid value: \".spec['a']\": is an invalid path: array notation is not allowed",
    ),
    "fields to select by": (),
    "metadata with labels": (
        'spec.validation.openAPIV3Schema.properties[kind].type: Invalid value: "integer": must be string',
        "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
        "spec.validation.openAPIV3Schema.properties[apiVersion].default: Forbidden: must not be set in top-level apiVersion",
    ),
    "metadata with names": (),
    "free keys at the root": (
        "spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root",
        "spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root",
    ),
    "unsupported keywords": (
        "spec.validation.openAPIV3Schema.properties[a].$ref: Forbidden: $ref is not supported",
        "spec.validation.openAPIV3Schema.properties[b].items: Forbidden: items must be a schema object and not an array",
        "spec.validation.openAPIV3Schema.properties[c].patternProperties: Forbidden: patternProperties is not supported",
        "spec.validation.openAPIV3Schema.properties[d].dependencies: Forbidden: dependencies is not supported",
        "spec.validation.openAPIV3Schema.properties[e].definitions: Forbidden: definitions is not supported",
        "spec.validation.openAPIV3Schema.properties[f].additionalItems: Forbidden: additionalItems is not supported",
        "spec.validation.openAPIV3Schema.properties[g].id: Forbidden: id is not supported",
        'spec.validation.openAPIV3Schema.properties[h].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
        "spec.validation.openAPIV3Schema.properties[h].type: Forbidden: type cannot be set to null, use nullable as an alternative",
        'spec.validation.openAPIV3Schema.properties[i].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ),
    "unique items": (
        "spec.validation.openAPIV3Schema.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ),
    "properties and free keys": (
        "spec.validation.openAPIV3Schema.properties[b].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
    ),
    "topologies": (
        'spec.validation.openAPIV3Schema.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
        "spec.validation.openAPIV3Schema.properties[b].type: Required value: must be object if x-kubernetes-map-type is specified",
        'spec.validation.openAPIV3Schema.properties[c].x-kubernetes-map-type: Unsupported value: "foo": supported values: "atomic", "granular"',
        "spec.validation.openAPIV3Schema.properties[d].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
        'spec.validation.openAPIV3Schema.properties[e].x-kubernetes-list-type: Unsupported value: "foo": supported values: "atomic", "set", "map"',
        "spec.validation.openAPIV3Schema.properties[f].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty",
        "spec.validation.openAPIV3Schema.properties[g].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
        'spec.validation.openAPIV3Schema.properties[g].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
        "spec.validation.openAPIV3Schema.properties[j].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
    ),
    "keys of maps": (
        'spec.validation.openAPIV3Schema.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","z","o","k"]: entries must all be names of item properties',
        'spec.validation.openAPIV3Schema.properties[a].items.properties[o].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
        'spec.validation.openAPIV3Schema.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","z","o","k"]: must not contain duplicate entries',
        "spec.validation.openAPIV3Schema.properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map",
        "spec.validation.openAPIV3Schema.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "spec.validation.openAPIV3Schema.properties[a].items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
        "spec.validation.openAPIV3Schema.properties[a].items.properties[o].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "spec.validation.openAPIV3Schema.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "spec.validation.openAPIV3Schema.properties[a].items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
    ),
    "extensions": (
        "spec.validation.openAPIV3Schema.properties[h].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        "spec.validation.openAPIV3Schema.properties[i].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        'spec.validation.openAPIV3Schema.properties[i].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
        "spec.validation.openAPIV3Schema.properties[k].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
        "spec.validation.openAPIV3Schema.properties[l].type: Required value: must be object if x-kubernetes-embedded-resource is true",
    ),
    "int or string": (),
    "nested": (
        'spec.validation.openAPIV3Schema.properties[a].not.items.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
        "spec.validation.openAPIV3Schema.properties[a].oneOf[0].properties[metadata]: Forbidden: must not be specified in a nested context",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].additionalProperties: Forbidden: must be undefined to be structural",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].description: Forbidden: must be empty to be structural",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].nullable: Forbidden: must be false to be structural",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].title: Forbidden: must be empty to be structural",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].type: Forbidden: must be empty to be structural",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].x-kubernetes-list-type: Forbidden: must be undefined to be structural",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural",
        "spec.validation.openAPIV3Schema.properties[a].oneOf[1].x-kubernetes-validations: Forbidden: must be empty to be structural",
        'spec.validation.openAPIV3Schema.properties[a].oneOf[1].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ),
    "not structural": (
        "spec.validation.openAPIV3Schema.properties[c].items: Required value: must be specified",
        "spec.validation.openAPIV3Schema.properties[spec].properties[b].anyOf[0].default: Forbidden: must be undefined to be structural",
        "spec.validation.openAPIV3Schema.properties[spec].properties[b].anyOf[0].type: Forbidden: must be empty to be structural",
        "spec.validation.openAPIV3Schema.properties[spec].properties[b].type: Required value: must not be empty for specified object fields",
        "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ),
    "wrong roots": (
        'spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
        "spec.versions[1].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
    ),
    "the same wrong root": (
        'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ),
    "a root that status loses": (
        'spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Descripti ... elds XValidations] fields are allowed at the root of the schema if the status subresource is enabled',
    ),
    "wrong defaults": (
        'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
        'spec.validation.openAPIV3Schema.properties[spec].properties[b].default: Invalid value: {"z":1}: must not have unknown fields',
    ),
    "defaults out of bounds": (
        "spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: 1:  in body should be greater than or equal to 5",
        'spec.validation.openAPIV3Schema.properties[spec].properties[l].items.properties[p].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ),
    "a default that a rule refuses": (
        "spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: 1: failed rule: self > 1",
    ),
    "an embedded default": (
        "spec.validation.openAPIV3Schema.properties[spec].properties[e].default.apiVersion: Required value",
        "spec.validation.openAPIV3Schema.properties[spec].properties[e].default.kind: Invalid value ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    "preserving at the top": (
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ),
    "a pattern that is none": (
        'spec.validation.openAPIV3Schema.properties[a].pattern: Invalid value: "(a": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(a`',
    ),
    "conversion without webhook": (
        "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
        "spec.conversion.conversionReviewVersions: Required value",
    ),
    "conversion by http": (
        "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
    ),
    "webhook without strategy": (
        "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ),
    "strategy that is none": (
        'spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook"',
    ),
    "both url and service": (
        "spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required",
        'spec.conversion.conversionReviewVersions[1]: Invalid value: "v1": duplicate version',
        "spec.conversion.conversionReviewVersions[2]: Invalid value: \"V!\": a DNS-1035 label must co ... character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    "a wrong service": (
        "spec.conversion.webhookClientConfig.service.namespace: Required value",
        "spec.conversion.webhookClientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
        "spec.conversion.webhookClientConfig.service.path: Invalid value: \"x//y\": must start with a '/'",
        'spec.conversion.webhookClientConfig.service.path: Invalid value: "x//y": segment[0] may not be empty',
        'spec.conversion.webhookClientConfig.service.path: Invalid value: "x//y": segment[1] may not be empty',
    ),
    "a wrong url": (
        'spec.conversion.webhookClientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
        'spec.conversion.webhookClientConfig.url: Invalid value: "z": fragments are not permitted in the URL',
        'spec.conversion.webhookClientConfig.url: Invalid value: "y=1": query parameters are not permitted in the URL',
    ),
    "a rule about a field that is not there": (
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid ... Self\":null}: compilation failed: ERROR: <input>:1:5: undefined field 'foo'\n | self.foo == 1\n | ....^",
    ),
    "a rule that says no bool": (
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid ... ion":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ),
    "a rule with a wrong path": (
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".x": must be a valid path',
    ),
    "a rule with a wrong message": (
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].messageExpres ... 1","Reason":null,"FieldPath":"","OptionalOldSelf":true}: messageExpression must evaluate to a string',
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ),
    "rules with wrong forms": (
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].message: Required value: message must be specified if rule contains line breaks",
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[2].message: Invalid value: " ": must be non-empty if specified',
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[3].message: Invalid value: "a\\nb": must not contain line breaks',
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[4].reason: Unsup ... rted values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[5].messageExpression: Required value: messageExpression must be non-empty if specified",
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[6].fieldPath: Invalid value: " ": must be non-empty if specified',
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[6].fieldPath: Invalid value: " ": must be a valid path',
    ),
    "a rule with wrong types": (
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid ... ed to '(int, string)'\n | self.a + 1 == 2 && size(self.a) == 'x'\n | ................................^",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].rule: Invalid ...  ERROR: <input>:1:11: undeclared reference to 'foo' (in container '')\n | self.a.foo()\n | ..........^",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[2].rule: Invalid ... n failed: ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')\n | nobody == 1\n | ^",
    ),
    "a rule that cannot be read": (
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid ... 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.a ==\n | .........^",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].rule: Invalid ... n failed: ERROR: <input>:1:6: Syntax error: no viable alternative at input '..'\n | self..a\n | .....^",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[2].rule: Invalid ...  compilation failed: ERROR: <input>:1:8: Syntax error: missing ')' at '<EOF>'\n | (self.a\n | .......^",
    ),
    "old values that do not correspond": (
        "spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-validations[0].rule: I ...  on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec]",
    ),
    "an expensive rule": (
        "spec.validation.openAPIV3Schema.properties[a].items.items.x-kubernetes-validations[0].rule ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[a].items.items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost t ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    ),
    "a quadratic rule": (
        "spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule: Forbidden: ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost t ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    ),
    "many rules": (
        "spec.validation.openAPIV3Schema.properties[f0].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f1].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f2].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f3].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f4].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f5].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f6].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f7].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f8].x-kubernetes-validations[0].rule: Forbidden ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[f0].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema.properties[f1].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema.properties[f2].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema.properties[f3].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost t ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    ),
    "more about embedded resources": (
        "spec.validation.openAPIV3Schema.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
        'spec.validation.openAPIV3Schema.properties[b].properties[kind].type: Invalid value: "integer": must be string',
        'spec.validation.openAPIV3Schema.properties[b].properties[metadata].type: Invalid value: "string": must be object',
        "spec.validation.openAPIV3Schema.properties[metadata].properties[name].properties: Required ...  not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        "spec.validation.openAPIV3Schema.properties[metadata].properties[name].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta",
    ),
    "metadata of another type": (
        'spec.validation.openAPIV3Schema.properties[metadata].type: Invalid value: "string": must be object',
    ),
    "defaults in metadata": (
        "spec.validation.openAPIV3Schema.properties[spec].properties[e].properties[metadata].proper ... operties.default: Forbidden: must not be set inside additionalProperties applying to object metadata",
    ),
    "an embedded default that cannot be read": (
        'spec.validation.openAPIV3Schema.properties[spec].properties[e].default.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ),
    "what is only said inside": (),
    "what only the root says inside": (
        "spec.validation.openAPIV3Schema.items: Required value: because it is defined in spec.validation.openAPIV3Schema.allOf[1].items",
        "spec.validation.openAPIV3Schema.properties[q]: Required value: because it is defined in spec.validation.openAPIV3Schema.allOf[0].properties[q]",
        "spec.validation.openAPIV3Schema.properties[spec].properties[p].items: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].allOf[0].properties[spec].properties[p].items",
        "spec.validation.openAPIV3Schema.properties[spec].properties[r]: Required value: because it is defined in spec.validation.openAPIV3Schema.not.properties[spec].properties[r]",
    ),
    "a map of what": (
        "spec.validation.openAPIV3Schema.properties[a].items: Required value: must be specified",
        "spec.validation.openAPIV3Schema.properties[a].items: Required value: must have a schema if x-kubernetes-list-type is map",
        'spec.validation.openAPIV3Schema.properties[c].items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
        'spec.validation.openAPIV3Schema.properties[d].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ),
    "int or string with more": (
        "spec.validation.openAPIV3Schema.properties[b].anyOf[0].type: Forbidden: must be empty to be structural",
        "spec.validation.openAPIV3Schema.properties[b].anyOf[1].type: Forbidden: must be empty to be structural",
    ),
    "a root of another type with a status": (
        'spec.validation.openAPIV3Schema.type: Invalid value: "string": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ),
    "conversion without strategy": (
        "spec.conversion.strategy: Required value",
        "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ),
    "a webhook that is not asked": (
        "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
    ),
    "no url": (
        'spec.conversion.webhookClientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ),
    "a url that cannot be read": (
        'spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL: parse "https://a b": invalid character " " in host name; desired format: https://host[/path]',
    ),
    "a service without name": (
        "spec.conversion.webhookClientConfig.service.name: Required value",
        'spec.conversion.webhookClientConfig.service.path: Invalid value: "//": segment[0] may not be empty',
    ),
    "a service with a path": (
        "spec.conversion.webhookClientConfig.service.path: Invalid value: \"/a/B_/\": segment[1]: a l ... om', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    "a service at its root": (),
    "a path with line breaks": (
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".a\\n": must not contain line breaks',
        'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".a\\n": must be a valid path',
    ),
    "rules about every type": (
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[3].rule: Invalid ... Self\":null}: compilation failed: ERROR: <input>:1:5: undefined field 'raw'\n | self.raw == 5\n | ....^",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[4].rule: Invalid ... ll}: compilation failed: ERROR: <input>:1:5: undefined field 'raws'\n | self.raws.size() > 1\n | ....^",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[5].rule: Invalid ... ll}: compilation failed: ERROR: <input>:1:5: undefined field 'rawm'\n | self.rawm.size() > 1\n | ....^",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[6].rule: Forbidd ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[7].messageExpres ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[7].messageExpression: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[6].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost t ... rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    ),
    "rules about what cannot be seen": (
        "spec.validation.openAPIV3Schema.properties[spec].properties[raw].x-kubernetes-validations: ... ormation for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
        "spec.validation.openAPIV3Schema.properties[spec].properties[raws].x-kubernetes-validations ... ormation for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
    ),
}
