// Answers what gjson finds: JSON in, JSON out.
package main

import (
	"encoding/json"
	"os"

	"github.com/tidwall/gjson"
)

type question struct {
	Document string `json:"document"`
	Path     string `json:"path"`
}

func main() {
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]*string, len(questions))
	for i, asked := range questions {
		if found := gjson.Get(asked.Document, asked.Path); found.Exists() {
			text := found.String()
			answers[i] = &text
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
