import type { FastifyInstance } from 'fastify'
import {
  SIMULATED_ISSUER_PATHS,
  type SimulatedIssuer,
} from '../../usecases/three-ds/simulated-issuer.ts'
import { FORM_LIMIT, takeRawBodies } from '../servers/raw-bodies.ts'
import type { WritePage } from './page-files.ts'
import { showNotice } from './show-page.ts'

export interface SimulatedIssuerPagesDeps {
  readonly simulatedIssuer: SimulatedIssuer
  readonly writeThreeDsPage: WritePage
}

/**
 * An issuer is another party than the gateway. Under a sandbox its page has an origin of its own,
 * so the browser sends it no cookie of the portal, and it reads none.
 */
const SANDBOX = 'sandbox allow-forms allow-scripts'
const AWAY = {
  title: 'The simulated bank does not answer',
  text: 'Its page cannot be shown. Return to the shop and try again.',
}

/**
 * The pages of the simulated issuer, for the sandbox only: no browser has to trust the certificate
 * that the bank made for itself. The bank decides; the gateway passes forms and pages on.
 */
export function simulatedIssuerPages(app: FastifyInstance, deps: SimulatedIssuerPagesDeps): void {
  takeRawBodies(app, FORM_LIMIT)
  for (const path of SIMULATED_ISSUER_PATHS) {
    app.post(path, async (request, reply) => {
      const form = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const page = await deps.simulatedIssuer.post(path, form)
      if (page === null) return showNotice(reply, deps.writeThreeDsPage, 502, AWAY)
      return reply
        .code(page.status)
        .headers({
          'cache-control': 'no-store',
          'content-security-policy': `${page.policy}; ${SANDBOX}`,
          'referrer-policy': 'strict-origin',
          'x-content-type-options': 'nosniff',
          'x-robots-tag': 'noindex',
        })
        .type(page.contentType)
        .send(page.body)
    })
  }
}
