import { isLoopback, type GatewayConfig } from '@tollgate/gateway/config'
import type { OperatorAccess } from '@tollgate/gateway/operator-doctor'
import { fault, good, warning, type Finding } from './finding.ts'

const PART = 'console'
const ANY_ADDRESS = ['0.0.0.0', '::']

/**
 * Judges the operator's console.
 * @param operators those who may sign in; null where nothing is known about them
 */
export function judgeConsole(
  { consoleEndpoint: endpoint, mode }: Pick<GatewayConfig, 'consoleEndpoint' | 'mode'>,
  operators: readonly OperatorAccess[] | null,
): readonly Finding[] {
  if (endpoint === null) return [good(PART, 'CONSOLE_PORT is not set, so there is no console.')]
  return [
    judgeEndpoint(endpoint, mode === 'production'),
    ...(operators === null ? [] : judgeOperators(operators)),
  ]
}

function judgeEndpoint(
  { host, port, isTls }: NonNullable<GatewayConfig['consoleEndpoint']>,
  isProduction: boolean,
): Finding {
  const place = `The console listens at ${host} port ${port}`
  if (isLoopback(host)) return good(PART, `${place}, which only this machine reaches.`)
  if (!isTls) {
    const found = `${place} without TLS, so that passwords cross the network in plain text.`
    const advice = 'Set CONSOLE_HOST to an address on loopback behind a proxy, or set TLS_CERT.'
    return (isProduction ? fault : warning)(PART, found, advice)
  }
  return ANY_ADDRESS.includes(host)
    ? good(PART, `${place} with TLS. Let a firewall admit the operators only.`)
    : good(PART, `${place} with TLS.`)
}

function judgeOperators(operators: readonly OperatorAccess[]): readonly Finding[] {
  const owners = operators.filter(({ role }) => role === 'owner')
  const complete = owners.filter(({ hasSecondFactor }) => hasSecondFactor)
  if (owners.length === 0) {
    const advice = 'Invite one: tollgate operators invite <e-mail> owner <name>.'
    return [warning(PART, 'The console has no owner who may sign in.', advice)]
  }
  return [
    ...owners.filter((owner) => !owner.hasSecondFactor).map(unfinished),
    complete.length >= 2
      ? good(PART, `${complete.length} owners can confirm the requests of each other.`)
      : warning(
          PART,
          `${complete.length} owner has a second factor, and two are needed to confirm requests.`,
          'Invite a second owner: tollgate operators invite <e-mail> owner <name>.',
        ),
  ]
}

function unfinished({ email, hasPassword }: OperatorAccess): Finding {
  const found = hasPassword
    ? `The owner ${email} has a password, and no second factor.`
    : `The owner ${email} has set no password yet.`
  const advice =
    `Let them complete the sign-in, or renew the link: tollgate operators reset ${email}. ` +
    `For an owner who left: tollgate operators disable ${email}.`
  return warning(PART, found, advice)
}
