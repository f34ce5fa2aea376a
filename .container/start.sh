#!/bin/sh
# Runs a command as PUID and PGID, never as root, after the data folder belongs to them. With `--user` the engine has
# chosen the user already.
set -eu
umask 077

if [ "$(id -u)" != 0 ]; then exec tini -- "$@"; fi

for name in PUID PGID; do
  eval "number=\${$name:-1000}"
  case $number in
    '' | 0* | *[!0-9]*)
      echo "  $name has to be a number above 0: the id that the library's files can be read by (id -u, id -g)." >&2
      exit 78 # The engine need not try again: the configuration is wrong (sysexits.h).
      ;;
  esac
done
user=${PUID:-1000}
group=${PGID:-1000}

# The present owner gives the folder away. Root itself could not read it, as the engine leaves root few rights.
owner=$(stat --format=%u:%g /data)
if [ "$owner" != "$user:$group" ]; then
  give="chown --recursive --no-dereference $user:$group /data"
  case $owner in
    0:*) $give || : ;;
    *)
      setpriv --reuid="${owner%:*}" --regid="${owner#*:}" --clear-groups \
        --inh-caps=+chown --ambient-caps=+chown $give || :
      ;;
  esac
fi

# The engine's groups without root's, and those of the graphics devices, so that ffmpeg may use them.
groups=$({
  id -G | tr ' ' '\n'
  stat --format=%g /dev/dri/renderD* 2>/dev/null
} | grep -vx 0 | sort -u | paste -sd, -) || :
if [ -n "$groups" ]; then keep=--groups=$groups; else keep=--clear-groups; fi

exec setpriv --reuid="$user" --regid="$group" "$keep" --inh-caps=-all --no-new-privs tini -- "$@"
