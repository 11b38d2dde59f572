import { Secret, type ApiUserSummary, type MadePassword } from '@tollgate/gateway/operator'
import type { TypedArguments } from './command.ts'
import {
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'
import { StartupError } from './startup-error.ts'

/** Reads all of standard input; a function, so that a test can stand in. */
export type ReadInput = () => Promise<string>

/** API users: who may send requests, with which passwords, and from where. */
export function createUsersCommand(readInput: ReadInput): OperatorCommand {
  const passwordOf = async ({ has }: TypedArguments): Promise<Secret | null> =>
    has('stdin') ? passwordIn(await readInput()) : null
  return {
    name: 'users',
    summary:
      'list API users; users add, password, allow, rate, disable, enable and events change them',
    forms: [
      {
        words: '[list]',
        options: ['[--json]'],
        help: 'lists API users, with the last use of each password',
        async run({ has }, { env, print }) {
          const listed = await withOperator(env, ({ users }) => users.list(null))
          if (has('json')) print(JSON.stringify(listed, null, 2))
          else for (const line of listed.flatMap(userLines)) print(line)
          return 0
        },
      },
      {
        words: 'add <merchant> <name>',
        options: ['[--stdin]'],
        help: 'creates an API user with a password',
        run: async (given, context) => addUser(given, await passwordOf(given), context),
      },
      {
        words: 'password <name> new',
        options: ['[--stdin]'],
        help: 'creates another password; the older one stays valid until it is retired',
        run: async (given, context) => addPassword(given, await passwordOf(given), context),
      },
      {
        words: 'password <name> retire <n>',
        help: 'retires a password',
        run: retirePassword,
      },
      {
        words: 'allow <name> everywhere',
        help: 'allows an API user every address',
        run: ({ word }, context) => allow(word('name'), [], context),
      },
      {
        words: 'allow <name> <network>...',
        help: 'restricts an API user to these networks',
        run: ({ word, words }, context) => allow(word('name'), words('network'), context),
      },
      ...RATE_FORMS,
      {
        words: 'disable|enable <name>',
        help: 'disables or enables an API user',
        run: switchUser,
      },
      {
        words: 'events <name> on|off',
        help: 'gives or takes the right to read events and lists',
        run: switchEvents,
      },
    ],
    notes:
      'With --stdin the password is the one line on standard input; otherwise it is ' +
      'generated.',
  }
}

const RATE_FORMS: OperatorCommand['forms'] = [
  {
    words: 'rate <name> default',
    help: 'gives an API user the rate limit of the installation',
    run: ({ word }, context) => limitRate(word('name'), null, context),
  },
  {
    words: 'rate <name> <per-second> <burst>',
    help: 'limits the requests of an API user a second, and at once',
    run: ({ word }, context) => {
      const rate = { perSecond: Number(word('per-second')), burst: Number(word('burst')) }
      return limitRate(word('name'), rate, context)
    },
  },
]

async function addUser(
  { word }: TypedArguments,
  password: Secret | null,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [merchant, name] = [word('merchant'), word('name')]
  const added = await withOperator(env, ({ users }) => users.add(Number(merchant), name, password))
  if (!added.ok) return refuse(added.faults, complain)
  print(`API user ${name} of merchant ${merchant} was created.`)
  return printPassword(added, print)
}

async function addPassword(
  { word }: TypedArguments,
  password: Secret | null,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const name = word('name')
  const made = await withOperator(env, ({ users }) => users.addPassword(name, password))
  if (!made.ok) {
    if (made.code !== 'two_passwords') return refuse(made.faults, complain)
    const hint = `To retire one: tollgate users password ${name} retire <number>`
    return refuse([...made.faults, hint], complain)
  }
  print(
    `Password ${made.number} of ${name} was created; an older one stays valid until it is retired.`,
  )
  return printPassword(made, print)
}

async function retirePassword(
  { word }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [name, number] = [word('name'), word('n')]
  const retired = await withOperator(env, ({ users }) => users.retirePassword(name, Number(number)))
  if (!retired.ok) return refuse(retired.faults, complain)
  print(`Password ${number} of ${name} was retired; gateways refuse it within 2 seconds.`)
  if (retired.live.length === 0) complain(`Warning: ${name} has no active password.`)
  return 0
}

async function allow(
  name: string,
  networks: readonly string[],
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const allowed = await withOperator(env, ({ users }) => users.allowFrom(name, networks, null))
  if (!allowed.ok) return refuse(allowed.faults, complain)
  print(
    `${name} is allowed from ${fromWhere(allowed.networks)}; gateways apply it within 2 seconds.`,
  )
  return 0
}

async function limitRate(
  name: string,
  rate: ApiUserSummary['requestRate'],
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const done = await withOperator(env, ({ users }) => users.setRequestRate(name, rate))
  if (!done.ok) return refuse(done.faults, complain)
  const limit = rate === null ? 'the rate limit of the installation' : rateText(rate)
  print(`${name} has ${limit}; gateways apply it within 2 seconds.`)
  return 0
}

function rateText({ burst, perSecond }: NonNullable<ApiUserSummary['requestRate']>): string {
  return `${perSecond} requests a second, and ${burst} at once`
}

async function switchUser(
  { word }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [what, name] = [word('disable|enable'), word('name')]
  const done = await withOperator(env, ({ users }) =>
    what === 'disable' ? users.disable(name) : users.enable(name),
  )
  if (!done.ok) return refuse(done.faults, complain)
  print(`${name} was ${what}d; gateways apply it within 2 seconds.`)
  return 0
}

async function switchEvents(
  { word }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [name, what] = [word('name'), word('on|off')]
  const done = await withOperator(env, ({ users }) => users.setReadsApi(name, what === 'on'))
  if (!done.ok) return refuse(done.faults, complain)
  print(`Events are ${what} for ${name}; gateways apply it within 2 seconds.`)
  return 0
}

function passwordIn(text: string): Secret {
  const line = text.replace(/\r?\n$/, '')
  if (line === '') throw new StartupError('Standard input has no password. Nothing was changed.')
  return new Secret(line)
}

function printPassword({ generated }: MadePassword, print: (line: string) => void): number {
  if (generated !== null) {
    print(`Its password, shown only now: ${generated.reveal()}`)
  }
  return 0
}

function userLines(user: ApiUserSummary): string[] {
  const head =
    `${user.name}: merchant ${user.merchantId} (${user.merchant}), ${stateOf(user)}, ` +
    `last used ${when(user.lastUsedAt)}, from ${fromWhere(user.allowedFrom)}` +
    (user.readsApi ? ', reads events' : '') +
    (user.requestRate === null ? '' : `, ${rateText(user.requestRate)}`)
  if (user.passwords.length === 0) return [head, '  no active password']
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
