import type { Secret } from '../../base/secret.ts'
import type { CardBrand } from '../../domain/payments/card.ts'
import type { Mode } from '../merchants/merchant-directory.ts'

/** A Directory Server and how it is spoken with. */
export interface ThreeDsDirectory {
  /** The name in logs and in the cache of its card ranges, which is gone with the name. */
  readonly name: string
  readonly mode: Mode
  /** Cards that it knows about; null: all. */
  readonly brands: readonly CardBrand[] | null
  /** Takes AReq and PReq. */
  readonly url: string
  /** The only authority that is believed, for both directions. PEM. */
  readonly ca: string
  /** With which it is asked. PEM. */
  readonly cert: string
  readonly key: Secret
  /** threeDSServerRefNumber and threeDSServerOperatorID; the second null where there is none. */
  readonly refNumber: string
  readonly operatorId: string | null
  /** Common names of certificates that may bring results. */
  readonly resultSubjects: readonly string[]
  /** The versions that are spoken with it, the lowest and the highest. */
  readonly versions: { readonly from: string; readonly to: string }
  /** Hosts that addresses for browsers may name; null: any. */
  readonly browserHosts: readonly string[] | null
  /** It is the simulator beside the bundled bank, which authenticates test cards for nothing. */
  readonly simulated: boolean
}

/** With what the address for results is served to the Directory Servers of live accounts. */
export interface ResultsCertificate {
  readonly cert: string
  readonly key: Secret
}

/** The reference in the simulator's messages; no scheme has assigned such a number. */
export const SIMULATOR_REFERENCE = /^SIM_/
/** How the names in the simulator's certificates begin. */
export const SIMULATOR_SUBJECT = /^SIM /
