/** A version of a data key, as an operator sees it. */
export interface DataKeyView {
  readonly id: number
  readonly purpose: 'pan' | 'fingerprint'
  readonly state: 'active' | 'retired' | 'destroyed'
  /** Which key-encrypting key wrapped it last. */
  readonly kekId: string
  readonly createdAt: Date
  readonly retiredAt: Date | null
  readonly destroyedAt: Date | null
  readonly destroyedBy: string | null
  /** Card numbers of saved cards and tokens that are encrypted under it. */
  readonly cards: number
  /** Secrets of links and sites that are encrypted under it. */
  readonly secrets: number
}

/** A gateway process and the newest keys that it reported, a minute ago at most. */
export interface DataKeyHolder {
  readonly worker: string
  readonly dataKeyIds: readonly number[]
  readonly sealsUnder: number
}

/** How far the re-encryption of one table has come. */
export interface ReencryptionView {
  readonly table: string
  readonly dataKeyId: number
  readonly moved: number
  /** The position of the pass under way. */
  readonly afterId: bigint
  readonly finishedAt: Date | null
}

/** All that `tollgate keys list` shows. */
export interface KeysView {
  readonly keys: readonly DataKeyView[]
  readonly holders: readonly DataKeyHolder[]
  readonly passes: readonly ReencryptionView[]
}
