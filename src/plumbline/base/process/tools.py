"""The one launcher that all tools of this process are started by."""

import atexit
from typing import Final

from plumbline.base.process.launcher import Launcher

TOOLS: Final = Launcher()
atexit.register(TOOLS.close)
