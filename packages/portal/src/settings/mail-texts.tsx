import {
  Alert,
  Button,
  Code,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import type { MailKindView, MailTexts, SiteMailView } from '@tollgate/portal-contract/answers/mail'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { showDone } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { useMay } from '../session/session.ts'
import { ApiFault, call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { MailPreview } from './mail-preview.tsx'
import { mailChanged } from './settings-queries.ts'

const PREVIEW_AFTER_MS = 300

/** The texts of each kind, with a preview of what is typed. */
export function MailTextsPanel({
  siteId,
  view,
}: {
  readonly siteId: string
  readonly view: SiteMailView
}) {
  const [chosen, setChosen] = useState(view.kinds[0]?.kind ?? '')
  const kind = view.kinds.find((each) => each.kind === chosen)
  return (
    <Panel title="Texts">
      <NativeSelect
        label="Kind of mail"
        maw={400}
        data={view.kinds.map(({ kind: value, title }) => ({ value, label: title }))}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {kind !== undefined && <TextsForm key={chosen} siteId={siteId} kind={kind} />}
    </Panel>
  )
}

/** The texts that are typed over the stored ones, with their preview. */
function useTexts(siteId: string, kind: MailKindView) {
  const stored = kind.own ?? kind.builtIn
  const [typed, setTyped] = useState<{ readonly texts: MailTexts; seen: MailTexts | null }>()
  const texts = typed?.texts ?? stored
  const [settled] = useDebouncedValue(texts, PREVIEW_AFTER_MS)
  const path = { siteId }
  const preview = useQuery({
    queryKey: ['settings', 'mail-preview', siteId, kind.kind, settled],
    queryFn: ({ signal }) =>
      call(routes.mail.preview, { path, body: { kind: kind.kind, texts: settled }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const save = useMutation({
    mutationFn: (wanted: MailTexts | null) =>
      call(routes.mail.changeTexts, {
        path,
        body: { kind: kind.kind, texts: wanted, seen: typed === undefined ? kind.own : typed.seen },
      }),
    onSuccess(view) {
      mailChanged(siteId, view)
      setTyped(undefined)
      showDone('The texts are saved.')
    },
  })
  return {
    texts,
    isTyped: typed !== undefined,
    preview: preview.data,
    fault: preview.error instanceof ApiFault ? preview.error : null,
    save,
    set(name: keyof MailTexts, value: string) {
      save.reset()
      const seen = typed === undefined ? kind.own : typed.seen
      setTyped({ texts: { ...texts, [name]: value }, seen })
    },
  }
}

type Texts = ReturnType<typeof useTexts>

function TextsForm({ kind, siteId }: { readonly siteId: string; readonly kind: MailKindView }) {
  const mayChange = useMay('sites.change')
  const texts = useTexts(siteId, kind)
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {kind.own === null ? 'The built-in texts are sent.' : 'Your own texts are sent.'}{' '}
          Placeholders:{' '}
          {kind.placeholders.map((name) => (
            <Code key={name} mr={4}>{`{{${name}}}`}</Code>
          ))}
        </Text>
        <TextFields texts={texts} isDisabled={!mayChange} />
        {texts.save.error !== null && (
          <Alert color="red" role="alert">
            {texts.save.error.message}
          </Alert>
        )}
        {mayChange && <TextButtons siteId={siteId} kind={kind} texts={texts} />}
      </Stack>
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          Preview with example values
        </Text>
        {texts.preview !== undefined && <MailPreview mail={texts.preview} />}
      </Stack>
    </SimpleGrid>
  )
}

function TextFields({
  isDisabled,
  texts,
}: {
  readonly texts: Texts
  readonly isDisabled: boolean
}) {
  const { fault, set } = texts
  const { html, subject, text } = texts.texts
  const errorAt = (field: string): string | undefined =>
    fault?.field === field ? fault.message : undefined
  return (
    <>
      <TextInput
        label="Subject"
        disabled={isDisabled}
        value={subject}
        error={errorAt('subject')}
        onChange={(event) => set('subject', event.currentTarget.value)}
      />
      <Textarea
        label="Plain text"
        disabled={isDisabled}
        autosize
        minRows={8}
        maxRows={20}
        value={text}
        error={errorAt('text')}
        onChange={(event) => set('text', event.currentTarget.value)}
      />
      <Textarea
        label="HTML"
        description="Empty: the HTML follows from the plain text."
        disabled={isDisabled}
        autosize
        minRows={3}
        maxRows={20}
        value={html}
        error={errorAt('html')}
        onChange={(event) => set('html', event.currentTarget.value)}
      />
    </>
  )
}

function TextButtons({
  kind,
  siteId,
  texts,
}: {
  readonly siteId: string
  readonly kind: MailKindView
  readonly texts: Texts
}) {
  const { fault, isTyped, save } = texts
  const test = useMutation({
    mutationFn: () => call(routes.mail.test, { path: { siteId }, body: { kind: kind.kind } }),
    async onSuccess({ recipient }) {
      showDone(`A mail to ${recipient} is queued.`)
      await queryClient.invalidateQueries({ queryKey: ['settings', 'mails', siteId] })
    },
  })
  return (
    <Group gap="xs">
      <Button
        disabled={!isTyped || fault !== null}
        loading={save.isPending}
        onClick={() => save.mutate(texts.texts)}
      >
        Save texts
      </Button>
      <Button variant="default" disabled={kind.own === null} onClick={() => save.mutate(null)}>
        Use built-in texts
      </Button>
      <Button
        variant="default"
        disabled={isTyped}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send a test to me
      </Button>
    </Group>
  )
}
