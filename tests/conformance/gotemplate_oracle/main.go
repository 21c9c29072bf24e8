// Answers what Go's text/template with Sprig prints: JSON in, JSON out.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

type question struct {
	Text    string          `json:"text"`
	Value   json.RawMessage `json:"value"`
	Missing string          `json:"missing"`
}

type answer struct {
	Printed string `json:"printed,omitempty"`
	Fault   string `json:"fault,omitempty"`
}

// Numbers as the API machinery decodes them.
func converted(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil && !strings.ContainsAny(value.String(), ".eE") {
			return whole
		}
		floating, _ := value.Float64()
		return floating
	case map[string]any:
		for key := range value {
			value[key] = converted(value[key])
		}
	case []any:
		for at := range value {
			value[at] = converted(value[at])
		}
	}
	return value
}

func answered(asked question) answer {
	functions := sprig.TxtFuncMap()
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(functions, name)
	}
	missing := asked.Missing
	if missing == "" {
		missing = "default"
	}
	read, err := template.New("t").Funcs(functions).Option("missingkey=" + missing).Parse(asked.Text)
	if err != nil {
		return answer{Fault: err.Error()}
	}
	decoder := json.NewDecoder(bytes.NewReader(asked.Value))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	value = converted(value)
	if top, ok := value.(map[string]any); ok {
		top["parse"] = func(text string) time.Time {
			moment, err := time.Parse(time.RFC3339, text)
			if err != nil {
				panic(err)
			}
			return moment
		}
	}
	var printed bytes.Buffer
	if err := read.Execute(&printed, value); err != nil {
		return answer{Fault: err.Error()}
	}
	return answer{Printed: printed.String()}
}

func main() {
	time.Local = time.UTC
	var asked []question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(asked))
	for _, each := range asked {
		answers = append(answers, answered(each))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answers); err != nil {
		panic(err)
	}
}
