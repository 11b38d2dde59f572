import { maskNumbers } from '../../base/card-masking.ts'
import type { Clock } from '../../base/clock.ts'
import type { ThreeDsMessageJournal } from '../../usecases/three-ds/message-journal.ts'
import { ERRO } from './answer-fields.ts'
import { valueOf } from './field-rule.ts'
import { journalContent } from './journal-content.ts'
import { idsOf, type Message, type ProtocolFault } from './protocol-fault.ts'

export interface MessageRecorder {
  record(direction: 'in' | 'out', message: Message): void
  /** Something that came and cannot be used: what it says it is, and what is wrong with it. */
  unreadable(serverTransId: string | null, message: Message, fault: ProtocolFault): void
}

/** Keeps messages in the journal, without what may not be kept. */
export function createMessageRecorder(
  journal: ThreeDsMessageJournal,
  clock: Clock,
): MessageRecorder {
  return {
    record(direction, message) {
      const type = valueOf(message, 'messageType').slice(0, 16)
      journal.add({
        at: clock.now(),
        serverTransId: idsOf(message)['threeDSServerTransID'] ?? null,
        direction,
        type,
        content: journalContent(type === 'Erro' ? knownTexts(message) : message),
      })
    },
    unreadable(serverTransId, message, { code, detail }) {
      const said = valueOf(message, 'messageType')
      journal.add({
        at: clock.now(),
        serverTransId,
        direction: 'in',
        type: 'unreadable',
        content: {
          ...idsOf(message),
          messageType: maskNumbers(said).slice(0, 16),
          refusedWith: code,
          refusedFor: maskNumbers(detail),
        },
      })
    },
  }
}

/** An Erro is accepted with any other content, of any length and depth. */
function knownTexts(erro: Message): Message {
  const names = Object.keys(ERRO).filter(
    (name) => Object.hasOwn(erro, name) && typeof erro[name] === 'string',
  )
  return Object.fromEntries(names.map((name) => [name, erro[name]]))
}
