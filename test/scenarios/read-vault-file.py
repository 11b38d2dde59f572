"""Reads a vault export as docs/vault-format.md describes it, and prints its cards as JSON."""
import base64, json, sys
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.exceptions import InvalidTag

data = open(sys.argv[1], "rb").read()
key_text = "".join(l for l in open(sys.argv[2]).read().splitlines() if not l.startswith("#"))
assert data[:8] == b"TGVAULT1"
size = int.from_bytes(data[8:12], "big")
header = json.loads(data[12:12 + size])
head, at = data[:12 + size], 12 + size
salt = base64.b64decode(header["salt"])
key = HKDF(SHA256(), 32, salt, b"tollgate vault export 1").derive(base64.b64decode(key_text))
cipher, number, cards, end = AESGCM(key), 0, [], None
while end is None:
    size = int.from_bytes(data[at:at + 4], "big")
    body = data[at + 4:at + 4 + size]
    at += 4 + size
    for last in (0, 1):
        nonce = last.to_bytes(4, "big") + number.to_bytes(8, "big")
        try:
            text = cipher.decrypt(nonce, body, head).decode()
            break
        except InvalidTag:
            if last == 1:
                raise
    number += 1
    if last == 1:
        end = json.loads(text)
    else:
        cards += [json.loads(line) for line in text.splitlines()]
assert at == len(data) and end["cards"] == len(cards)
print(json.dumps(cards))
