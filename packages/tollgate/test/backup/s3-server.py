"""OpenStack Swift with its S3 interface, in one process and one folder, for tests.

Usage: s3-server.py FOLDER. Prints "ready PORT" when it serves; ends when its standard input does.
Needs Debian's package python3-swift. The access key is test:tester, and its secret is testing.
"""

import eventlet

eventlet.monkey_patch()

import os
import sys
import threading

import eventlet.wsgi
from swift.common import utils

FOLDER = os.path.abspath(sys.argv[1])
SERVERS = ["account", "container", "object"]


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def listen():
    return eventlet.listen(("127.0.0.1", 0))


class Cache:
    """In the place of memcached."""

    def __init__(self):
        self.values = {}

    def get(self, key, *args, **kwargs):
        return self.values.get(key)

    def set(self, key, value, *args, **kwargs):
        self.values[key] = value

    def delete(self, key, *args, **kwargs):
        self.values.pop(key, None)

    def incr(self, key, delta=1, *args, **kwargs):
        self.values[key] = int(self.values.get(key, 0)) + delta
        return self.values[key]


def with_cache(app):
    cache = Cache()

    def call(env, start_response):
        env["swift.cache"] = cache
        return app(env, start_response)

    return call


os.makedirs(os.path.join(FOLDER, "devices", "disk"))
utils.SWIFT_CONF_FILE = write(
    "swift.conf",
    "[swift-hash]\nswift_hash_path_suffix = tests\nswift_hash_path_prefix = tests\n"
    "[storage-policy:0]\nname = one\ndefault = yes\n",
)
utils.validate_hash_conf()

from swift.common.ring import RingBuilder
from swift.common.storage_policy import reload_storage_policies
from swift.common.wsgi import loadapp

reload_storage_policies()

COMMON = f"swift_dir = {FOLDER}\ndevices = {FOLDER}/devices\nmount_check = false\nworkers = 0\n"
sockets = {name: listen() for name in SERVERS}
for name, socket in sockets.items():
    builder = RingBuilder(1, 1, 0)
    builder.add_dev(
        {
            "id": 0,
            "region": 1,
            "zone": 1,
            "weight": 1,
            "device": "disk",
            "ip": "127.0.0.1",
            "port": socket.getsockname()[1],
        }
    )
    builder.rebalance()
    builder.get_ring().save(os.path.join(FOLDER, f"{name}.ring.gz"))


class Quiet:
    def write(self, *args):
        pass


def serve(socket, app):
    eventlet.spawn(eventlet.wsgi.server, socket, app, log=Quiet(), log_output=False)


for name, socket in sockets.items():
    conf = write(
        f"{name}.conf",
        f"[DEFAULT]\n{COMMON}[pipeline:main]\npipeline = server\n"
        f"[app:server]\nuse = egg:swift#{name}\n",
    )
    serve(socket, loadapp(conf))

proxy = write(
    "proxy.conf",
    f"""[DEFAULT]
{COMMON}
[pipeline:main]
pipeline = catch_errors listing_formats bulk s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
node_timeout = 60
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
""",
)
front = listen()
serve(front, with_cache(loadapp(proxy)))
print(f"ready {front.getsockname()[1]}", flush=True)

# A parent that is killed closes the pipe, too.
while eventlet.tpool.execute(sys.stdin.read, 1):
    pass
