/** Dead letters as records of `<topic>.dlq`. */

import { type DeadLetter, type DeadLetters, letterHeaders } from './dead-letters.js';
import type { KafkaProducer } from './kafka-producer.js';

export class KafkaDeadLetters implements DeadLetters {
  constructor(private readonly producer: KafkaProducer) {}

  write(letters: readonly DeadLetter[]): Promise<void> {
    const now = Date.now();
    return this.producer.append(
      letters.map((letter) => ({
        key: letter.record.key,
        value: letter.record.value,
        headers: letterHeaders(letter, now),
      })),
    );
  }
}
