// Answers what sealed-secrets does: a JSON list of questions in, a JSON list of answers out.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/keyutil"

	ssv1alpha1 "github.com/bitnami/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	"github.com/bitnami/sealed-secrets/pkg/controller"
	"github.com/bitnami/sealed-secrets/pkg/crypto"
	"github.com/bitnami/sealed-secrets/pkg/kubeseal"
)

type question struct {
	Do          string          `json:"do"`
	Bits        int             `json:"bits"`
	Name        string          `json:"name"`
	Namespace   string          `json:"namespace"`
	Scope       string          `json:"scope"`
	Certificate string          `json:"certificate"`
	Private     string          `json:"private"`
	Began       time.Time       `json:"began"`
	Hours       int             `json:"hours"`
	Value       []byte          `json:"value"`
	Order       string          `json:"order"`
	Keys        []corev1.Secret `json:"keys"`
	Secret      json.RawMessage `json:"secret"`
	Sealed      json.RawMessage `json:"sealed"`
}

type answer struct {
	Given any    `json:"given,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// No kubeconfig: who seals says the namespace in the Secret.
type nowhere struct{}

func (nowhere) ClientConfig() (*rest.Config, error) { return nil, errors.New("there is no cluster") }
func (nowhere) Namespace() (string, bool, error)    { return "", false, nil }
func (q question) public() (*rsa.PublicKey, error) {
	return kubeseal.ParseKey(bytes.NewBufferString(q.Certificate))
}
func (q question) scope() (ssv1alpha1.SealingScope, error) {
	var scope ssv1alpha1.SealingScope
	err := scope.Set(q.Scope)
	return scope, err
}

func (q question) holder() (*controller.Controller, error) {
	order := q.Order
	if order == "" {
		order = "CertNotBefore"
	}
	return controller.Holding(q.Keys, order)
}

func sealed(q question) (any, error) {
	public, err := q.public()
	if err != nil {
		return nil, err
	}
	scope, err := q.scope()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := kubeseal.Seal(nowhere{}, "json", bytes.NewReader(q.Secret), &out, scheme.Codecs, public, scope, false, q.Name, q.Namespace); err != nil {
		return nil, err
	}
	return json.RawMessage(out.Bytes()), nil
}

func sealedAlone(q question) (any, error) {
	public, err := q.public()
	if err != nil {
		return nil, err
	}
	scope, err := q.scope()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = kubeseal.EncryptSecretItem(&out, q.Name, q.Namespace, q.Value, scope, public)
	return out.String(), err
}

func sealedOfOld(q question) (any, error) {
	public, err := q.public()
	if err != nil {
		return nil, err
	}
	var secret corev1.Secret
	if err := json.Unmarshal(q.Secret, &secret); err != nil {
		return nil, err
	}
	made, err := ssv1alpha1.NewSealedSecretV1(scheme.Codecs, public, &secret)
	if err != nil {
		return nil, err
	}
	made.APIVersion, made.Kind = "bitnami.com/v1alpha1", "SealedSecret"
	return made, nil
}

func unsealed(q question) (any, error) {
	holder, err := q.holder()
	if err != nil {
		return nil, err
	}
	var found ssv1alpha1.SealedSecret
	if err := json.Unmarshal(q.Sealed, &found); err != nil {
		return nil, err
	}
	return holder.Unsealed(&found)
}

func signed(q question) (any, error) {
	parsed, err := keyutil.ParsePrivateKeyPEM([]byte(q.Private))
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("it is a %T", parsed)
	}
	made, err := crypto.SignKeyWithNotBefore(rand.Reader, private, q.Began, time.Duration(q.Hours)*time.Hour, q.Name)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"serial": made.SerialNumber.String(),
		"pem":    string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Raw})),
	}, nil
}

func done(q question) (any, error) {
	switch q.Do {
	case "key":
		return controller.Written(q.Bits, q.Name)
	case "sign":
		return signed(q)
	case "fingerprint":
		public, err := q.public()
		if err != nil {
			return nil, err
		}
		return crypto.PublicKeyFingerprint(public)
	case "newest":
		holder, err := q.holder()
		if err != nil {
			return nil, err
		}
		return holder.Newest()
	case "seal":
		return sealed(q)
	case "raw":
		return sealedAlone(q)
	case "old":
		return sealedOfOld(q)
	case "unseal":
		return unsealed(q)
	case "verify":
		holder, err := q.holder()
		if err != nil {
			return nil, err
		}
		return holder.AttemptUnseal(q.Sealed)
	case "rotate":
		holder, err := q.holder()
		if err != nil {
			return nil, err
		}
		out, err := holder.Rotate(q.Sealed)
		return json.RawMessage(out), err
	}
	return nil, fmt.Errorf("unknown question %q", q.Do)
}

func answered(q question) (said answer) {
	defer func() {
		if fault := recover(); fault != nil {
			said = answer{Fault: fmt.Sprintf("panic: %v", fault)}
		}
	}()
	given, err := done(q)
	if err != nil {
		return answer{Fault: err.Error()}
	}
	return answer{Given: given}
}

func main() {
	ssv1alpha1.AcceptDeprecatedV1Data = true
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, each := range questions {
		answers = append(answers, answered(each))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
