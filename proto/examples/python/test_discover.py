"""unittest discover looks for test*.py; the tests are in vectors_test.py."""
from vectors_test import *  # noqa: F401,F403
