package main

import (
	v1 "github.com/crossplane/crossplane/apis/apiextensions/v1"
	"github.com/crossplane/crossplane/internal/controller/apiextensions/composition"
	"github.com/crossplane/crossplane/internal/controller/rbac/definition"
	"github.com/crossplane/crossplane/internal/xcrd"
)

type (
	Definition  = v1.CompositeResourceDefinition
	Composition = v1.Composition
)

func composite(d *Definition) (any, error)      { return xcrd.ForCompositeResource(d) }
func claim(d *Definition) (any, error)          { return xcrd.ForCompositeResourceClaim(d) }
func roles(d *Definition) any                   { return definition.RenderClusterRoles(d) }
func revision(c *Composition, number int64) any { return composition.NewCompositionRevision(c, number) }
