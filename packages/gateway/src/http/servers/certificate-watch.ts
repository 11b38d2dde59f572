import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import {
  readCertificatePair,
  type CertificateFacts,
  type CertificateFiles,
} from './certificate-pair.ts'
import type { Certificate } from './certificate.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Programs renew thirty days before the end; by this day, the renewal has failed for long. */
const WARN_DAYS = 21

export interface CertificateWatch {
  /** The pair that new connections see. */
  readonly certificate: Certificate
  readonly validTo: Date
  /** Looks at the files, and takes a new pair in them when it is good. Never throws. */
  look(): Promise<void>
}

/**
 * Follows the two files by their content, so that renewal works in place, by a rename, or by a
 * link that is turned. The two never change in one instant. So a pair is taken once it fits, and
 * reported only when a second reading finds it the same.
 *
 * Throws for a pair that cannot be served. An expired one is served with a complaint: it may be
 * renewed while the gateway runs.
 */
export async function watchCertificate(options: {
  readonly files: CertificateFiles
  readonly clock: Clock
  readonly logger: FastifyBaseLogger
  readonly onChange: (certificate: Certificate) => void
}): Promise<CertificateWatch> {
  const { files, clock, logger, onChange } = options
  const first = await readCertificatePair(files, clock.now())
  if (first.kind === 'faulty') throw new Error(first.problem)
  let { certificate, facts } = first
  let lastProblem: string | null = null
  let isReported = false
  let warnedAt = Number.NEGATIVE_INFINITY
  logger.info(logFields(facts), 'the certificate in use')
  warnOfTheEnd()

  function warnOfTheEnd(): void {
    const now = clock.now().getTime()
    const leftMs = facts.validTo.getTime() - now
    if (leftMs > WARN_DAYS * DAY_MS || now - warnedAt < DAY_MS) return
    warnedAt = now
    if (leftMs <= 0) logger.error(logFields(facts), 'the certificate in use has expired: renew it')
    else logger.warn(logFields(facts), 'the certificate in use expires soon: renew it')
  }

  function refuse(problem: string): void {
    if (problem !== lastProblem) {
      lastProblem = problem
      isReported = false
    } else if (!isReported) {
      isReported = true
      logger.error(
        { problem, inUse: facts.subject, validTo: facts.validTo },
        'the changed certificate is invalid, and the one in use stays',
      )
    }
  }

  return {
    get certificate() {
      return certificate
    },
    get validTo() {
      return facts.validTo
    },
    async look() {
      const found = await readCertificatePair(files, clock.now())
      const isNew =
        found.kind !== 'faulty' &&
        (found.certificate.cert !== certificate.cert || found.certificate.key !== certificate.key)
      if (found.kind === 'faulty') refuse(found.problem)
      else if (isNew && found.kind === 'out_of_date') refuse(found.problem)
      else {
        lastProblem = null
        if (isNew) {
          ;({ certificate, facts } = found)
          warnedAt = Number.NEGATIVE_INFINITY
          onChange(certificate)
          logger.info(logFields(facts), 'a new certificate is in use')
        }
      }
      warnOfTheEnd()
    },
  }
}

function logFields(facts: CertificateFacts): Record<string, string | number> {
  return {
    subject: facts.subject,
    names: facts.names,
    issuer: facts.issuer,
    validTo: facts.validTo.toISOString(),
    intermediates: facts.intermediates,
  }
}
