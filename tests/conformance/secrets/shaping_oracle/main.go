// Answers what Go and the libraries of External Secrets do with keys, values, YAML, PEM and keys: JSON in, JSON out.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/lestrrat-go/jwx/v2/jwk"
	"sigs.k8s.io/yaml"
	"software.sslmate.com/src/go-pkcs12"
)

type question struct {
	Verb string   `json:"verb"`
	Args []string `json:"args"`
}

type answer struct {
	Value any    `json:"value"`
	Fault string `json:"fault,omitempty"`
}

func block(kind string, body []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: body}))
}

func first(text string) []byte {
	found, _ := pem.Decode([]byte(text))
	if found == nil {
		panic("no PEM")
	}
	return found.Bytes
}

func certificates(text string) []*x509.Certificate {
	var out []*x509.Certificate
	for rest := []byte(text); ; {
		var found *pem.Block
		if found, rest = pem.Decode(rest); found == nil {
			return out
		}
		certificate, err := x509.ParseCertificate(found.Bytes)
		if err != nil {
			panic(err)
		}
		out = append(out, certificate)
	}
}

func decoded(text string) []byte {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return raw
}

func allowed(text string) any {
	out := []bool{}
	for _, char := range text {
		out = append(out, unicode.IsLetter(char) || unicode.IsNumber(char))
	}
	return out
}

func hashed(text string) any {
	given := map[string]string{}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		panic(err)
	}
	values := map[string][]byte{}
	for key, value := range given {
		values[key] = decoded(value)
	}
	return fmt.Sprintf("%x", sha3.Sum224([]byte(fmt.Sprintf("%+v", values))))
}

// What a key holds for a value of JSON, and what JSON writes of it with and without regard to HTML.
func shown(text string) (any, error) {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, err
	}
	plain := ""
	if number, ok := value.(float64); ok {
		plain = strconv.FormatFloat(number, 'f', -1, 64)
	}
	html, _ := json.Marshal(value)
	var raw bytes.Buffer
	encoder := json.NewEncoder(&raw)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return []string{plain, string(html), strings.TrimRight(raw.String(), "\n")}, nil
}

func blocks(text string) any {
	out := []string{}
	for rest := []byte(text); ; {
		var found *pem.Block
		if found, rest = pem.Decode(rest); found == nil {
			return out
		}
		out = append(out, string(pem.EncodeToMemory(found)))
	}
}

func names(text string) any {
	certificate := certificates(text)[0]
	out := append([]string{}, certificate.DNSNames...)
	for _, address := range certificate.IPAddresses {
		out = append(out, address.String())
	}
	out = append(out, certificate.EmailAddresses...)
	for _, uri := range certificate.URIs {
		out = append(out, uri.String())
	}
	return out
}

func identifiers(text string) any {
	out := [][]string{}
	for _, each := range certificates(text) {
		out = append(out, []string{hex.EncodeToString(each.AuthorityKeyId), hex.EncodeToString(each.SubjectKeyId)})
	}
	return out
}

func unpacked(text, password string) (any, error) {
	key, certificate, others, err := pkcs12.DecodeChain(decoded(text), password)
	if err != nil {
		return nil, err
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	chain := block("CERTIFICATE", certificate.Raw)
	for _, each := range others {
		chain += block("CERTIFICATE", each.Raw)
	}
	return []string{block("PRIVATE KEY", raw), chain}, nil
}

func packed(chain, key, password string) (any, error) {
	private, err := x509.ParsePKCS8PrivateKey(first(key))
	if err != nil {
		return nil, err
	}
	found := certificates(chain)
	raw, err := pkcs12.Modern.Encode(private, found[0], found[1:], password)
	return base64.StdEncoding.EncodeToString(raw), err
}

func trusted(text, password string) (any, error) {
	found, err := pkcs12.DecodeTrustStore(decoded(text), password)
	out := ""
	for _, each := range found {
		out += block("CERTIFICATE", each.Raw)
	}
	return out, err
}

func ofJWK(text string) (any, error) {
	key, err := jwk.ParseKey([]byte(text))
	if err != nil {
		return nil, err
	}
	var raw any
	if err := key.Raw(&raw); err != nil {
		return nil, err
	}
	if public, err := x509.MarshalPKIXPublicKey(raw); err == nil {
		return block("PUBLIC KEY", public), nil
	}
	private, err := x509.MarshalPKCS8PrivateKey(raw)
	return block("PRIVATE KEY", private), err
}

func sealed(text, key string) (any, error) {
	private, err := x509.ParsePKCS8PrivateKey(first(key))
	if err != nil {
		return nil, err
	}
	raw, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &private.(*rsa.PrivateKey).PublicKey, []byte(text), nil)
	return base64.StdEncoding.EncodeToString(raw), err
}

func answered(asked question) (any, error) {
	args := asked.Args
	switch asked.Verb {
	case "replaced":
		pattern, err := regexp.Compile(args[0])
		if err != nil {
			return nil, err
		}
		return pattern.ReplaceAllString(args[1], args[2]), nil
	case "allowed":
		return allowed(args[0]), nil
	case "base64":
		raw, err := base64.StdEncoding.DecodeString(args[0])
		return hex.EncodeToString(raw), err
	case "base64url":
		raw, err := base64.URLEncoding.DecodeString(args[0])
		return hex.EncodeToString(raw), err
	case "hexdec":
		raw, err := hex.DecodeString(args[0])
		return string(raw), err
	case "hashed":
		return hashed(args[0]), nil
	case "shown":
		return shown(args[0])
	case "strings":
		out := map[string]string{}
		err := yaml.Unmarshal([]byte(args[0]), &out)
		return out, err
	case "toYaml":
		var value any
		if err := json.Unmarshal([]byte(args[0]), &value); err != nil {
			return nil, err
		}
		raw, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(raw), "\n"), err
	case "blocks":
		return blocks(args[0]), nil
	case "names":
		return names(args[0]), nil
	case "identifiers":
		return identifiers(args[0]), nil
	case "unpacked":
		return unpacked(args[0], args[1])
	case "packed":
		return packed(args[0], args[1], args[2])
	case "trusted":
		return trusted(args[0], args[1])
	case "jwk":
		return ofJWK(args[0])
	case "sealed":
		return sealed(args[0], args[1])
	}
	return nil, errors.New("unknown verb")
}

func main() {
	var asked []question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(asked))
	for _, each := range asked {
		value, err := answered(each)
		if err != nil {
			answers = append(answers, answer{Fault: err.Error()})
		} else {
			answers = append(answers, answer{Value: value})
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answers); err != nil {
		panic(err)
	}
}
