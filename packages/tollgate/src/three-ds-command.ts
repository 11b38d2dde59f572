import { isReturnHost, type ThreeDsPolicy } from '@tollgate/gateway/operator'
import { parseArgs } from 'node:util'
import { refuse, withOperator, type OperatorCommand } from './operator-commands.ts'

const USAGE = `Usage: tollgate three-ds <SITE_ID> [--required on|off]
         [--when-unavailable authorize|decline] [--pares-required on|off]
         [--challenge 01|02|03|04|none] [--return-hosts <host>,<host>...|any]`

const OPTIONS = {
  required: { type: 'string' },
  'when-unavailable': { type: 'string' },
  'pares-required': { type: 'string' },
  challenge: { type: 'string' },
  'return-hosts': { type: 'string' },
} as const

/** `tollgate three-ds`: what a site wants of 3-D Secure. */
export const threeDs: OperatorCommand = async (args, env, { print, complain }) => {
  const read = readArguments(args)
  if (read === null) {
    complain(USAGE)
    return 1
  }
  const { siteId, changes } = read
  if (Object.keys(changes).length === 0) {
    const policy = await withOperator(env, (operator) => operator.threeDs.show(siteId))
    if (policy === null) {
      complain(`There is no site ${siteId}.`)
      return 1
    }
    for (const line of policyLines(siteId, policy)) print(line)
    return 0
  }
  const set = await withOperator(env, (operator) => operator.threeDs.set(siteId, changes))
  if (!set.ok) return refuse(set.faults, complain)
  for (const line of policyLines(siteId, set.policy)) print(line)
  print('Gateways that are running know it within 2 seconds.')
  return 0
}

interface Arguments {
  readonly siteId: bigint
  readonly changes: Partial<ThreeDsPolicy>
}

/** Null where anything is not as the usage has it. */
function readArguments(args: readonly string[]): Arguments | null {
  const parsed = parse(args)
  const [site = '', ...rest] = parsed?.positionals ?? []
  if (parsed === null || rest.length > 0 || !/^[1-9][0-9]{0,14}$/.test(site)) return null
  const { values } = parsed
  const required = choose(values.required, SWITCH)
  const paResRequired = choose(values['pares-required'], SWITCH)
  const whenUnavailable = choose(values['when-unavailable'], UNAVAILABLE)
  const challengePreference = choose(values.challenge, CHALLENGES)
  const returnHosts = readHosts(values['return-hosts'])
  const read = { required, paResRequired, whenUnavailable, challengePreference, returnHosts }
  if (Object.values(read).includes(WRONG)) return null
  const named = Object.entries(read).filter(([, value]) => value !== undefined)
  return { siteId: BigInt(site), changes: Object.fromEntries(named) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch {
    return null
  }
}

const WRONG = Symbol('not as the usage has it')
const SWITCH = new Map([
  ['on', true],
  ['off', false],
])
const UNAVAILABLE = new Map([
  ['authorize', 'authorize'],
  ['decline', 'decline'],
] as const)
const CHALLENGES = new Map<string, string | null>([
  ['01', '01'],
  ['02', '02'],
  ['03', '03'],
  ['04', '04'],
  ['none', null],
])

/** Undefined where nothing was said. */
function choose<Value>(
  said: string | undefined,
  choices: ReadonlyMap<string, Value>,
): Value | undefined | typeof WRONG {
  if (said === undefined) return undefined
  const chosen = choices.get(said)
  return chosen === undefined ? WRONG : chosen
}

function readHosts(said: string | undefined): readonly string[] | undefined | typeof WRONG {
  if (said === undefined) return undefined
  if (said === 'any') return []
  const hosts = said.toLowerCase().split(',')
  return hosts.every(isReturnHost) ? hosts : WRONG
}

const CHALLENGE_WISHES: Readonly<Record<string, string>> = {
  '01': 'no preference',
  '02': 'rather without a challenge',
  '03': 'rather with a challenge',
  '04': 'a challenge by mandate',
}

function policyLines(siteId: bigint, policy: ThreeDsPolicy): string[] {
  const { challengePreference: challenge, returnHosts } = policy
  return [
    `Site ${siteId}`,
    `  required          ${policy.required ? 'on' : 'off'}`,
    `  when-unavailable  ${policy.whenUnavailable}`,
    `  pares-required    ${policy.paResRequired ? 'on' : 'off'}`,
    `  challenge         ${challenge === null ? 'none' : `${challenge}, ${CHALLENGE_WISHES[challenge] ?? ''}`}`,
    `  return-hosts      ${returnHosts.length === 0 ? 'any' : returnHosts.join(',')}`,
  ]
}
