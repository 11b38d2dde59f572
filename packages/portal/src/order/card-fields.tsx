import { Alert, Input, Skeleton, useComputedColorScheme } from '@mantine/core'
import type { SignedTokenRequest } from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { useEffect, useId, useImperativeHandle, useRef, useState, type Ref } from 'react'
import { call } from '../shell/api.ts'

/** A card that the gateway has put under a token. */
export interface EnteredCard {
  readonly token: string
  readonly last4: string
  readonly brand: string
  /** Month and year: MMYYYY. */
  readonly expiry: string
}

export interface CardFieldsHandle {
  /** Rejects with what is wrong with a field; the frame shows it as well. */
  tokenize(): Promise<EnteredCard>
}

interface MountedFields {
  readonly ready: Promise<void>
  tokenize(signed: SignedTokenRequest): Promise<EnteredCard>
  remove(): void
}

interface FieldsScript {
  mount(element: Element, options: object): MountedFields
}

const SCRIPT = '/pay/2/fields.js'
let script: Promise<FieldsScript> | null = null

/** The same script as shops use; it is loaded from this very gateway. */
function loadFields(): Promise<FieldsScript> {
  script ??= new Promise((resolve, reject) => {
    const element = document.createElement('script')
    element.src = SCRIPT
    element.onload = () =>
      resolve((window as unknown as { readonly TollgateFields: FieldsScript }).TollgateFields)
    element.onerror = () => {
      script = null
      reject(new Error('The card fields could not be loaded. Reload the page.'))
    }
    document.head.append(element)
  })
  return script
}

const COLORS = {
  textColor: { light: '--mantine-color-text', dark: '--mantine-color-text' },
  labelColor: { light: '--mantine-color-text', dark: '--mantine-color-text' },
  backgroundColor: { light: '--mantine-color-white', dark: '--mantine-color-dark-6' },
  borderColor: { light: '--mantine-color-gray-4', dark: '--mantine-color-dark-4' },
  focusColor: { light: '--focus-ring', dark: '--focus-ring' },
  errorColor: { light: '--mantine-color-error', dark: '--mantine-color-error' },
} as const

/** The colours of the page's own fields, such as `#1a2b3c`, for the frame. */
function fieldColors(place: HTMLElement, scheme: 'light' | 'dark'): Record<string, string> {
  const probe = document.createElement('span')
  place.append(probe)
  const colors = Object.entries(COLORS).map(([name, { [scheme]: variable }]) => {
    probe.style.color = `var(${variable})`
    const parts = getComputedStyle(probe).color.match(/\d+/g) ?? []
    const hex = parts.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0'))
    return [name, `#${hex.join('')}`]
  })
  probe.remove()
  return Object.fromEntries(colors)
}

interface CardFieldsProps {
  readonly siteId: string
  readonly ref: Ref<CardFieldsHandle>
  readonly onSubmit: () => void
}

/**
 * Number, expiry date and security code, in a frame of the gateway's card fields. Number and code
 * are never in this page or in its requests. Mounted again for another site.
 */
export function CardFields({ siteId, ref, onSubmit }: CardFieldsProps) {
  const place = useRef<HTMLDivElement>(null)
  const fields = useRef<MountedFields | null>(null)
  const submit = useRef(onSubmit)
  useEffect(() => {
    submit.current = onSubmit
  }, [onSubmit])
  const [state, setState] = useState<'loading' | 'ready' | Error>('loading')
  const scheme = useComputedColorScheme('light')
  const label = useId()

  useEffect(() => {
    let isGone = false
    setState('loading')
    loadFields()
      .then(async ({ mount }) => {
        if (isGone || place.current === null) return
        const mounted = mount(place.current, {
          site: siteId,
          style: { theme: scheme, radius: 4, fontSize: 14, ...fieldColors(place.current, scheme) },
          onEvent: (name: string) => name === 'submit' && submit.current(),
        })
        fields.current = mounted
        await mounted.ready
        if (!isGone) setState('ready')
      })
      .catch((error: unknown) => {
        if (!isGone)
          setState(
            error instanceof Error ? error : new Error('The card fields could not be loaded.'),
          )
      })
    return () => {
      isGone = true
      fields.current?.remove()
      fields.current = null
    }
  }, [siteId, scheme])

  useImperativeHandle(ref, () => ({
    async tokenize() {
      if (fields.current === null) throw new Error('The card fields are still loading.')
      return fields.current.tokenize(await call(routes.terminal.sign, { body: { siteId } }))
    },
  }))

  return (
    <Input.Wrapper
      label="Card"
      id={label}
      description="Card number and security code go straight to the vault. This page never sees them."
    >
      {state instanceof Error && (
        <Alert color="red" role="alert">
          {state.message}
        </Alert>
      )}
      {state === 'loading' && <Skeleton height={180} />}
      <div ref={place} hidden={state instanceof Error} />
    </Input.Wrapper>
  )
}
