#!/bin/sh
# A Chromium for the browser tests: one that is installed, else Debian's (as root), else Playwright's own.
# Usage: ensure_browser.sh path/to/playwright
set -eu
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk
    exit 0
fi
"$1" install chromium
