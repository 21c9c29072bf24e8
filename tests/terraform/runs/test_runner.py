"""A runner takes its order alone, fetches what belongs to it, and leaves a report whatever happens."""

import asyncio

import pytest
from tests.terraform.runs.test_manifests import order
from tests.terraform.runs.yard import story, terraform

from plumbline.base.errors import Corrupted, InvalidInput, PlanStale
from plumbline.base.json import decode
from plumbline.kube.client import Connection, Target
from plumbline.kube.client.parts import ServerTrust, User
from plumbline.terraform.runs.manifests import SECRETS
from plumbline.terraform.runs.runner import OwnAccount, reproduction
from plumbline.terraform.work import Planning, Workplace

from plumbline.base.plaintext import Plaintext
from pathlib import Path
