// What the controller does and its package keeps to itself, opened for the program beside this file.
package controller

import (
	"context"
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	ssv1alpha1 "github.com/bitnami/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	"github.com/bitnami/sealed-secrets/pkg/crypto"
)

// Holding is a controller that has these keys and nothing else.
func Holding(secrets []corev1.Secret, order string) (*Controller, error) {
	registry := NewKeyRegistry(nil, "", "", SealedSecretsKeyLabel, 0)
	sort.Sort(ssv1alpha1.ByCreationTimestamp(secrets))
	for at := range secrets {
		if _, _, err := readKey(&secrets[at]); err != nil {
			return nil, err
		}
		if err := registryNewKeyWithSecret(&secrets[at], registry, order); err != nil {
			return nil, err
		}
	}
	return &Controller{keyRegistry: registry}, nil
}

func (c *Controller) Newest() (string, error) {
	latest, err := c.keyRegistry.latestPrivateKey()
	if err != nil {
		return "", err
	}
	return crypto.PublicKeyFingerprint(&latest.PublicKey)
}

func (c *Controller) Unsealed(sealed *ssv1alpha1.SealedSecret) (*corev1.Secret, error) {
	return c.attemptUnseal(sealed)
}

// Written is the Secret of a new key, as the controller writes it.
func Written(bits int, name string) (*corev1.Secret, error) {
	client := fake.NewSimpleClientset()
	registry := NewKeyRegistry(client, "kube-system", "sealed-secrets-key", SealedSecretsKeyLabel, bits)
	if _, err := registry.generateKey(context.Background(), 87600*3600e9, name, "", ""); err != nil {
		return nil, err
	}
	found, err := client.CoreV1().Secrets("kube-system").List(context.Background(), metav1.ListOptions{})
	if err != nil || len(found.Items) != 1 {
		return nil, fmt.Errorf("%d keys were written: %w", len(found.Items), err)
	}
	return &found.Items[0], nil
}
