/// Who waits for the answer.
package enum Urgency: Hashable, Sendable {
    case reader
    /// Nobody: an answer that still holds is renewed.
    case background
}
