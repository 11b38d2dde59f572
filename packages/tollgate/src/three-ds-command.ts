import { isReturnHost, type ThreeDsPolicy } from '@tollgate/gateway/operator'
import { WrongUsage, type TypedArguments } from './command.ts'
import { refuse, withOperator, type OperatorCommand } from './operator-work.ts'

/** The 3-D Secure settings of a site. docs/operators/three-d-secure-switches.md */
export const threeDs: OperatorCommand = {
  name: 'three-ds',
  summary: 'show or change the 3-D Secure settings of a site',
  forms: [
    {
      words: '<SITE_ID>',
      options: [
        '[--required on|off]',
        '[--when-unavailable authorize|decline]',
        '[--pares-required on|off]',
        '[--challenge 01|02|03|04|none]',
        '[--return-hosts <host>,<host>...|any]',
      ],
      help: 'shows the settings, or changes those of the options',
      async run(given, { env, print, complain }) {
        const siteId = BigInt(given.word('SITE_ID'))
        const changes = changesOf(given)
        if (Object.keys(changes).length === 0) {
          const policy = await withOperator(env, (operator) => operator.threeDs.show(siteId))
          if (policy === null) {
            complain(`Site ${siteId} does not exist.`)
            return 1
          }
          for (const line of policyLines(siteId, policy)) print(line)
          return 0
        }
        const set = await withOperator(env, (operator) => operator.threeDs.set(siteId, changes))
        if (!set.ok) return refuse(set.faults, complain)
        for (const line of policyLines(siteId, set.policy)) print(line)
        print('Running gateways apply it within 2 seconds.')
        return 0
      },
    },
  ],
}

function changesOf({ option }: TypedArguments): Partial<ThreeDsPolicy> {
  const required = option('required')
  const paResRequired = option('pares-required')
  const whenUnavailable = option('when-unavailable')
  const challenge = option('challenge')
  const hosts = option('return-hosts')
  return {
    ...(required === undefined ? {} : { required: required === 'on' }),
    ...(whenUnavailable === undefined
      ? {}
      : { whenUnavailable: whenUnavailable === 'decline' ? 'decline' : 'authorize' }),
    ...(paResRequired === undefined ? {} : { paResRequired: paResRequired === 'on' }),
    ...(challenge === undefined
      ? {}
      : { challengePreference: challenge === 'none' ? null : challenge }),
    ...(hosts === undefined ? {} : { returnHosts: readHosts(hosts) }),
  }
}

function readHosts(said: string): readonly string[] {
  if (said === 'any') return []
  const hosts = said.toLowerCase().split(',')
  if (!hosts.every(isReturnHost)) {
    throw new WrongUsage('--return-hosts must be comma-separated host names, or "any".')
  }
  return hosts
}

const CHALLENGE_PREFERENCES: Readonly<Record<string, string>> = {
  '01': 'no preference',
  '02': 'no challenge preferred',
  '03': 'challenge preferred',
  '04': 'challenge mandated',
}

function policyLines(siteId: bigint, policy: ThreeDsPolicy): string[] {
  const { challengePreference: challenge, returnHosts } = policy
  return [
    `Site ${siteId}`,
    `  required          ${policy.required ? 'on' : 'off'}`,
    `  when-unavailable  ${policy.whenUnavailable}`,
    `  pares-required    ${policy.paResRequired ? 'on' : 'off'}`,
    `  challenge         ${challenge === null ? 'none' : `${challenge}, ${CHALLENGE_PREFERENCES[challenge] ?? ''}`}`,
    `  return-hosts      ${returnHosts.length === 0 ? 'any' : returnHosts.join(',')}`,
  ]
}
