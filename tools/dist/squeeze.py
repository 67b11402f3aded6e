"""Compresses the files of a wheel as far as deflate goes: libdeflate looks for the shortest form, which zlib does not.

    squeeze.py WHEEL     names, times, modes and contents stay as they are
"""

import os
import sys
import zipfile

import deflate


class Shortest:
    """A compressor in the form of zlib's."""

    def __init__(self):
        self.pieces = []

    def compress(self, piece):
        self.pieces.append(bytes(piece))
        return b""

    def flush(self):
        return bytes(deflate.deflate_compress(b"".join(self.pieces), 12))


def main(path):
    before = os.path.getsize(path)
    own = zipfile._get_compressor
    zipfile._get_compressor = lambda kind, level=None: Shortest() if kind == zipfile.ZIP_DEFLATED else own(kind, level)
    with zipfile.ZipFile(path) as wheel, zipfile.ZipFile(path + ".part", "w") as out:
        for entry in wheel.infolist():
            out.writestr(entry, wheel.read(entry), compress_type=zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(path) as wheel, zipfile.ZipFile(path + ".part") as out:
        for entry, other in zip(wheel.infolist(), out.infolist(), strict=True):
            same = (entry.filename, entry.date_time, entry.external_attr) == (other.filename, other.date_time, other.external_attr)
            if not same or wheel.read(entry) != out.read(other):
                raise SystemExit(f"squeeze.py: {entry.filename} is another file now")
    after = os.path.getsize(path + ".part")
    if after > before:
        raise SystemExit(f"squeeze.py: {after} bytes, and {before} before")
    os.replace(path + ".part", path)
    print(f"squeeze.py: {before} bytes are {after} now")


main(sys.argv[1])
