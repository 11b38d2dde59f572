import { frame } from '../src/index.ts'
import { between, seededRandom } from './support.ts'

/** The port on which the dissector expects the protocol; the caller sets it there. */
export const DISSECTED_PORT = 8583

/** Raw IPv4 packets without a link layer (https://www.tcpdump.org/linktypes.html). */
const LINKTYPE_IPV4 = 228
const PACKET_HEADERS_BYTES = 40
const MAX_SEGMENT_BYTES = 1_400

/**
 * A capture file of one TCP connection that carries these messages, each in its frame. The stream
 * is cut into segments at places that have nothing to do with the frames, as a network does.
 */
export function pcapOf(messages: readonly Buffer[], seed: number): Buffer {
  const random = seededRandom(seed)
  const stream = Buffer.concat(messages.map(frame))
  const parts = [fileHeader()]
  let at = 0
  while (at < stream.length) {
    const segment = stream.subarray(at, at + between(random, 1, MAX_SEGMENT_BYTES))
    parts.push(packet(segment, at + 1, parts.length))
    at += segment.length
  }
  return Buffer.concat(parts)
}

function fileHeader(): Buffer {
  const header = Buffer.alloc(24)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(65_535, 16)
  header.writeUInt32LE(LINKTYPE_IPV4, 20)
  return header
}

function packet(payload: Buffer, sequence: number, count: number): Buffer {
  const length = PACKET_HEADERS_BYTES + payload.length
  const headers = Buffer.alloc(16 + PACKET_HEADERS_BYTES)
  headers.writeUInt32LE(1_700_000_000 + Math.floor(count / 1_000), 0)
  headers.writeUInt32LE((count % 1_000) * 1_000, 4)
  headers.writeUInt32LE(length, 8)
  headers.writeUInt32LE(length, 12)
  // IPv4: version and header length, total length, time to live, TCP, from and to.
  headers.writeUInt8(0x45, 16)
  headers.writeUInt16BE(length, 18)
  headers.writeUInt8(64, 24)
  headers.writeUInt8(6, 25)
  headers.writeUInt32BE(0x0a000001, 28)
  headers.writeUInt32BE(0x0a000002, 32)
  // TCP: ports, sequence and acknowledgement, header length, PSH and ACK, window.
  headers.writeUInt16BE(40_000, 36)
  headers.writeUInt16BE(DISSECTED_PORT, 38)
  headers.writeUInt32BE(sequence, 40)
  headers.writeUInt32BE(1, 44)
  headers.writeUInt16BE(0x5018, 48)
  headers.writeUInt16BE(65_535, 50)
  return Buffer.concat([headers, payload])
}
