import { compileProfile, frame, HOUSE_PROFILE } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { anyMessage } from '../../../packages/iso8583/test/message-arbitraries.ts'
import { assertBooksAreClean } from '../../../test/support/books.ts'
import { payment } from '../../../test/support/payments.ts'
import { fc } from '../../../test/support/properties.ts'
import { startRunningGateway, type RunningGateway } from '../../../test/support/running-gateway.ts'
import type { Chance } from '../../torture/chance.ts'
import { drain } from '../../torture/drain.ts'
import { tryInputs, type Target } from '../target.ts'

const HOUSE = compileProfile(HOUSE_PROFILE)
const PAYMENT_PATIENCE = 40
const SAMPLES = 200
const DRAIN_DEADLINE_MS = 240_000

/** The reader of the bytes: the bank, from an unknown client; or the gateway, from a false bank. */
interface Hostile {
  readonly to: 'bank' | 'gateway'
  readonly pieces: readonly Buffer[]
}

/**
 * The link between gateway and bank, both real: garbage, half frames, unused types, floods and
 * answers to no request. An uncaught error ends the run itself.
 */
export const target: Target = {
  name: 'bank-link',
  what: 'garbage, half frames, wrong types, floods and unsolicited answers on the link, both ways',
  needs: 'nothing',
  async fuzz(run) {
    const link = await openMeddledLink()
    const settings = { BANK_TIMEOUT_MS: '1000', LOG_LEVEL: 'silent' }
    const gateway = await startRunningGateway(settings, (port) => link.lead(port))
    const seed = run.chance.between(1, 0x7fffffff)
    const messages = fc.sample(anyMessage, { numRuns: SAMPLES, seed })
    try {
      const found = await tryInputs<Hostile>(run, {
        make: (chance) => makeHostile(chance, messages),
        async check({ to, pieces }) {
          if (to === 'gateway') link.tellGateway(pieces)
          else await tellBank(gateway.bank.port, pieces)
          return stillPays(gateway)
        },
        *smaller({ to, pieces }) {
          for (const at of pieces.keys())
            if (pieces.length > 1) yield { to, pieces: pieces.toSpliced(at, 1) }
        },
        show: ({ to, pieces }) =>
          `to the ${to}:\n${pieces.map((piece) => piece.toString('hex').slice(0, 2_000)).join('\n')}`,
      })
      if (found !== null) return found
      // An advice whose connection broke several times waits up to a minute.
      const left = await drain(gateway.pool, DRAIN_DEADLINE_MS, () => undefined)
      if (left.running + left.queued > 0)
        return { what: 'Work was left open.', input: JSON.stringify(left) }
      await assertBooksAreClean(gateway)
      return null
    } catch (error) {
      return { what: String(error), input: 'all of them together' }
    } finally {
      await gateway.stop()
      await link.close()
    }
  },
}

/** A payment is approved again, at the latest when the link has been made again. */
async function stillPays(gateway: RunningGateway): Promise<string | null> {
  let last = ''
  for (let tries = 0; tries < PAYMENT_PATIENCE; tries += 1) {
    const { status, service } = await gateway.client().sale(payment('10.00'))
    if (status === 'APPROVED') return null
    last = `${status} with SERVICE ${service.code}`
    await new Promise((wake) => setTimeout(wake, 50))
  }
  return `${PAYMENT_PATIENCE} payments afterwards ended with ${last}.`
}

const SIGN_ON: IsoMessage = {
  mti: '0800',
  fields: { 7: '1121142530', 11: '000001', 32: '414000', 41: 'T9999999', 70: '001' },
}
const TYPES = [
  '0110',
  '0130',
  '0210',
  '0230',
  '0410',
  '0430',
  '0810',
  '0830',
  '0510',
  '0100',
  '0120',
  '0200',
  '0220',
  '0400',
  '0420',
  '0800',
  '0000',
  '0199',
]

function makeHostile(chance: Chance, messages: readonly IsoMessage[]): Hostile {
  const to = chance.pick(['bank', 'gateway'] as const)
  const wild = (): Buffer => {
    const { fields } = chance.pick(messages)
    const mti = chance.pick(TYPES)
    try {
      return frame(
        HOUSE.encode({ mti, fields: chance.happens(0.7) ? { ...fields, ...IDENTITY } : fields }),
      )
    } catch {
      return Buffer.of(0, 1)
    }
  }
  const pieces: Buffer[] =
    to === 'bank' && chance.happens(0.8) ? [frame(HOUSE.encode(SIGN_ON))] : []
  switch (chance.between(0, 5)) {
    case 0:
      pieces.push(
        Buffer.from(Array.from({ length: chance.between(1, 400) }, () => chance.between(0, 255))),
      )
      break
    case 1:
      pieces.push(wild().subarray(0, chance.between(1, 40)))
      break
    case 2:
      pieces.push(Buffer.of(chance.pick([0, 0x1f, 0x20, 0xff]), chance.pick([0, 11, 12, 255])))
      break
    case 3: {
      const one = wild()
      pieces.push(Buffer.concat(Array.from({ length: chance.between(100, 3_000) }, () => one)))
      break
    }
    case 4: {
      const bytes = Buffer.from(wild())
      for (let change = chance.between(1, 6); change > 0; change -= 1) {
        bytes[chance.between(0, bytes.length - 1)] = chance.between(0, 255)
      }
      pieces.push(bytes)
      break
    }
    default:
      for (let count = chance.between(1, 8); count > 0; count -= 1) pieces.push(wild())
  }
  return { to, pieces }
}

/** The identity of a message, so that it passes the first check. No order is of this merchant. */
const IDENTITY = { 7: '1121142530', 11: '000002', 32: '414000', 41: 'T9999998' }

function tellBank(port: number, pieces: readonly Buffer[]): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  return new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.on('end', () => socket.end())
    socket.resume()
    for (const piece of pieces) socket.write(piece)
    // The bank has read all bytes when it ends its half of the connection in answer to ours.
    socket.end()
  })
}

interface MeddledLink {
  /** Puts it in front of a bank's port; returns the port for the gateway. */
  lead(bankPort: number): Promise<number>
  /** Writes into every connection as if the bank had. */
  tellGateway(pieces: readonly Buffer[]): void
  close(): Promise<void>
}

async function openMeddledLink(): Promise<MeddledLink> {
  const nearEnds = new Set<Socket>()
  let bankPort = 0
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(bankPort, '127.0.0.1')
    nearEnds.add(near)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        nearEnds.delete(near)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  return {
    lead(port) {
      bankPort = port
      return new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
      })
    },
    tellGateway(pieces) {
      for (const near of nearEnds) for (const piece of pieces) near.write(piece)
    },
    close: () =>
      new Promise((resolve) => {
        for (const near of nearEnds) near.destroy()
        server.close(() => resolve())
      }),
  }
}
