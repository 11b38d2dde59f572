import {
  Secret,
  type ApiUserAdmin,
  type ApiUserSummary,
  type MadePassword,
} from '@tollgate/gateway/operator'
import { parseArgs } from 'node:util'
import { refuse, withOperator, type OperatorCommand } from './operator-commands.ts'
import { StartupError } from './startup-error.ts'
import type { Terminal } from './terminal.ts'

const USAGE = `Usage:
  tollgate users [list] [--json]
  tollgate users add <merchant> <name> [--stdin]
  tollgate users password <name> new [--stdin]
  tollgate users password <name> retire <n>
  tollgate users allow <name> <network>...|everywhere
  tollgate users disable|enable <name>
With --stdin the password is the one line that comes on standard input; without, it is generated.`

/** Reads all of standard input; a function, so that a test can stand in. */
export type ReadInput = () => Promise<string>

/** `tollgate users`: who may send requests, with which passwords, and from where. */
export function createUsersCommand(readInput: ReadInput): OperatorCommand {
  return async (args, env, terminal) => {
    const asked = readArguments(args)
    if (asked === null) {
      terminal.complain(USAGE)
      return 1
    }
    const given = asked.stdin ? passwordIn(await readInput()) : null
    return withOperator(env, ({ users }) => perform(users, asked, given, terminal))
  }
}

interface Asked {
  readonly words: readonly string[]
  readonly json: boolean
  readonly stdin: boolean
}

async function perform(
  users: ApiUserAdmin,
  { words, json }: Asked,
  given: Secret | null,
  terminal: Terminal,
): Promise<number> {
  const { print, complain } = terminal
  const [what = 'list', name = '', ...rest] = words
  switch (what) {
    case 'list': {
      const listed = await users.list(null)
      if (json) print(JSON.stringify(listed, null, 2))
      else for (const line of listed.flatMap(userLines)) print(line)
      return 0
    }
    case 'add': {
      const [username = ''] = rest
      const added = await users.add(Number(name), username, given)
      if (!added.ok) return refuse(added.faults, complain)
      print(`API user ${username} of merchant ${name} was made.`)
      return tellPassword(added, terminal)
    }
    case 'password': {
      const [verb, number] = rest
      if (verb === 'new') {
        const made = await users.addPassword(name, given)
        if (!made.ok) {
          if (made.code !== 'two_passwords') return refuse(made.faults, complain)
          const hint = `To retire one: tollgate users password ${name} retire <number>`
          return refuse([...made.faults, hint], complain)
        }
        print(
          `Password ${made.number} of ${name} was made; an older one goes on working until it is retired.`,
        )
        return tellPassword(made, terminal)
      }
      const retired = await users.retirePassword(name, Number(number))
      if (!retired.ok) return refuse(retired.faults, complain)
      print(`Password ${number} of ${name} was retired; no gateway takes it after 2 seconds.`)
      if (retired.live.length === 0) complain(`Warning: ${name} has no live password left.`)
      return 0
    }
    case 'allow': {
      const networks = rest[0] === 'everywhere' ? [] : rest
      const allowed = await users.allowFrom(name, networks, null)
      if (!allowed.ok) return refuse(allowed.faults, complain)
      print(
        `${name} may come from ${fromWhere(allowed.networks)}; gateways know it within 2 seconds.`,
      )
      return 0
    }
    default: {
      const done = await (what === 'disable' ? users.disable(name) : users.enable(name))
      if (!done.ok) return refuse(done.faults, complain)
      print(`${name} was ${what}d; gateways know it within 2 seconds.`)
      return 0
    }
  }
}

function readArguments(args: readonly string[]): Asked | null {
  let parsed
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        stdin: { type: 'boolean', default: false },
      },
    })
  } catch {
    return null
  }
  const { positionals: words, values } = parsed
  const [what = 'list', ...rest] = words
  const makesPassword = what === 'add' || (what === 'password' && rest[1] === 'new')
  if ((values.stdin && !makesPassword) || (values.json && what !== 'list')) return null
  return isComplete(what, rest) ? { words, ...values } : null
}

const NUMBER = /^[1-9][0-9]{0,14}$/

function isComplete(what: string, rest: readonly string[]): boolean {
  const [name, second = '', third = ''] = rest
  switch (what) {
    case 'list':
      return rest.length === 0
    case 'add':
      return rest.length === 2 && NUMBER.test(name ?? '')
    case 'password':
      return second === 'new'
        ? rest.length === 2
        : second === 'retire' && rest.length === 3 && NUMBER.test(third)
    case 'allow':
      return rest.length >= 2 && (rest.length === 2 || !rest.includes('everywhere'))
    default:
      return (what === 'disable' || what === 'enable') && rest.length === 1
  }
}

function passwordIn(text: string): Secret {
  const line = text.replace(/\r?\n$/, '')
  if (line === '')
    throw new StartupError('No password came on standard input; nothing was changed.')
  return new Secret(line)
}

function tellPassword({ generated }: MadePassword, { print }: Terminal): number {
  if (generated !== null) {
    print(`Its password, which is shown only this once: ${generated.reveal()}`)
  }
  return 0
}

function userLines(user: ApiUserSummary): string[] {
  const head =
    `${user.name}: merchant ${user.merchantId} (${user.merchant}), ${stateOf(user)}, ` +
    `last used ${when(user.lastUsedAt)}, from ${fromWhere(user.allowedFrom)}`
  if (user.passwords.length === 0) return [head, '  no live password']
  return [
    head,
    ...user.passwords.map(
      ({ number, madeAt, madeBy, lastUsedAt }) =>
        `  password ${number}: made ${madeAt.toISOString()} by ${madeBy}, last used ${when(lastUsedAt)}`,
    ),
  ]
}

function stateOf({ state }: ApiUserSummary): string {
  return state === 'idle' ? 'idle: refused until it is enabled' : state
}

function when(at: Date | null): string {
  return at === null ? 'never' : at.toISOString()
}

function fromWhere(networks: readonly string[]): string {
  return networks.length === 0 ? 'everywhere' : networks.join(', ')
}
