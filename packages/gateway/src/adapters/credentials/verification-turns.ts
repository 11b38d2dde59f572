import { LoginsBusyError } from '../../usecases/logins/attempts-under-way.ts'
import type { VerificationPlace } from '../../usecases/logins/login-ports.ts'

export interface VerificationLimits {
  /**
   * Slow verifications at once in a process. They run on four threads that everything else which
   * Node hands to threads shares, and each keeps a core busy.
   */
  readonly atOnce: number
  /** Logins in a process that are being verified or wait for it. */
  readonly places: number
  /** The same of one address, so that one sender does not take every place. */
  readonly placesPerAddress: number
  /** Places that addresses with a right password may take from others, however many wait. */
  readonly placesOfKnown: number
  /** How long an address counts as known after a right password. */
  readonly knownForMs: number
  /** Known addresses that a process remembers; the longest unused is forgotten first. */
  readonly mostKnown: number
}

const LIMITS: VerificationLimits = {
  atOnce: 2,
  places: 256,
  placesPerAddress: 64,
  placesOfKnown: 128,
  knownForMs: 24 * 3_600_000,
  mostKnown: 10_000,
}

/** A login that has a place. */
interface Login {
  /** Called when its turn comes, or when it has to give way; null before it waits for its turn. */
  wait: PromiseWithResolvers<void> | null
  state: 'idle' | 'running' | 'left' | 'displaced'
}

/** The logins of one address in this process. */
interface Sender {
  readonly address: string
  readonly isKnown: boolean
  places: number
  /** Those that are not being verified, the last one at the end. */
  readonly idle: Set<Login>
}

/**
 * Gives slow verifications their turn: a few at once, the addresses one after the other. Addresses
 * from which a password was right lately have every second turn.
 *
 * When all places are taken, a newcomer displaces a login of the address with the most places. Its
 * own address must have at least two fewer. So a flood from a few addresses keeps no other out. `enter` throws LoginsBusyError for a newcomer without a place,
 * and `run` rejects with it for a displaced login.
 */
export function createVerificationTurns(
  monotonicMs: () => number,
  limits: VerificationLimits = LIMITS,
): (address: string) => VerificationPlace {
  const known = createKnownAddresses(monotonicMs, limits)
  const senders = new Map<string, Sender>()
  /** Logins that wait for their turn, by sender; the first sender is the next. */
  const queues = { known: new Map<Sender, Login[]>(), unknown: new Map<Sender, Login[]>() }
  let taken = 0
  let takenByKnown = 0
  let running = 0
  let isTurnOfKnown = true

  const queueOf = (sender: Sender) => (sender.isKnown ? queues.known : queues.unknown)

  function startNext(): void {
    while (running < limits.atOnce) {
      const isForKnown = queues.unknown.size === 0 || (isTurnOfKnown && queues.known.size > 0)
      const queue = isForKnown ? queues.known : queues.unknown
      const [next] = queue
      if (next === undefined) return
      const [sender, [login, ...others]] = next
      queue.delete(sender)
      if (others.length > 0) queue.set(sender, others)
      if (login?.state !== 'idle') continue
      isTurnOfKnown = !isForKnown
      login.state = 'running'
      sender.idle.delete(login)
      running += 1
      login.wait?.resolve()
    }
  }

  function release(sender: Sender, login: Login, state: 'left' | 'displaced'): void {
    login.state = state
    sender.idle.delete(login)
    taken -= 1
    if (sender.isKnown) takenByKnown -= 1
    sender.places -= 1
    if (sender.places === 0) senders.delete(sender.address)
  }

  /** Makes room for a login; false if no other has to give way to it. */
  function displaceFor(newcomer: Sender): boolean {
    const hasKnownShare = takenByKnown < limits.placesOfKnown
    const all = [...senders.values()]
    const unknown = all.filter(({ isKnown }) => !isKnown)
    const displaced =
      (newcomer.isKnown && hasKnownShare ? busiestOf(unknown, 1) : undefined) ??
      busiestOf(newcomer.isKnown || !hasKnownShare ? all : unknown, newcomer.places + 2)
    const login = displaced === undefined ? undefined : [...displaced.idle].at(-1)
    if (displaced === undefined || login === undefined) return false
    release(displaced, login, 'displaced')
    login.wait?.reject(new LoginsBusyError())
    return true
  }

  function enter(address: string): Sender {
    const isKnown = known.has(address)
    const sender = senders.get(address) ?? { address, isKnown, places: 0, idle: new Set() }
    if (sender.places >= limits.placesPerAddress) throw new LoginsBusyError()
    if (taken >= limits.places && !displaceFor(sender)) throw new LoginsBusyError()
    taken += 1
    if (sender.isKnown) takenByKnown += 1
    sender.places += 1
    senders.set(address, sender)
    return sender
  }

  async function turn(sender: Sender, login: Login): Promise<void> {
    if (login.state === 'displaced') throw new LoginsBusyError()
    login.wait = Promise.withResolvers()
    const queue = queueOf(sender)
    queue.set(sender, [...(queue.get(sender) ?? []), login])
    startNext()
    await login.wait.promise
  }

  return (address) => {
    const sender = enter(address)
    const login: Login = { wait: null, state: 'idle' }
    sender.idle.add(login)

    function leave(): void {
      if (login.state === 'idle' || login.state === 'running') release(sender, login, 'left')
    }

    return {
      leave,
      proven: () => known.add(address),
      async run(work) {
        await turn(sender, login)
        try {
          return await work()
        } finally {
          running -= 1
          leave()
          startNext()
        }
      },
    }
  }
}

/** The sender with the most places, if it has at least so many; the last one among equals. */
function busiestOf(senders: readonly Sender[], atLeast: number): Sender | undefined {
  let busiest: Sender | undefined
  for (const sender of senders) {
    if (sender.idle.size > 0 && sender.places >= (busiest?.places ?? atLeast)) busiest = sender
  }
  return busiest
}

/** Addresses from which a password was right lately, the longest unused first. */
function createKnownAddresses(monotonicMs: () => number, limits: VerificationLimits) {
  const until = new Map<string, number>()
  return {
    has: (address: string): boolean => (until.get(address) ?? -Infinity) > monotonicMs(),

    add(address: string): void {
      until.delete(address)
      const [oldest] = until.size < limits.mostKnown ? [] : until.keys()
      if (oldest !== undefined) until.delete(oldest)
      until.set(address, monotonicMs() + limits.knownForMs)
    },
  }
}
