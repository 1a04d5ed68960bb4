package import Gatefold

/// An event of the journal of revocations, for logs and metrics.
package enum JournalEvent: Sendable, Equatable {
    package enum Rejection: String, Sendable {
        case otherState = "it belongs to another state"
        case damaged = "its header is damaged"
    }

    /// The number of entries was read or set.
    case count(Int)
    /// An entry was written to an empty journal.
    case began
    /// An entry was written.
    case appended(count: Int)
    /// The end of the file, which was not written completely, was cut off.
    case cut(bytes: Int)
    /// Entries were written to the store.
    case replayed(Int, left: Int)
    /// The file was renamed, and its entries are not used.
    case rejected(Rejection, entries: Int?)
    /// Slots between readable entries are damaged.
    case damaged(Int)
    /// A revocation could not be added.
    case failed(JournalFailure)
}

extension JournalEvent: ReportableEvent {
    private static func gauge(_ count: Int) -> EventReport {
        .gauge("gatefold_revocation_journal_entries", [:], count)
    }

    package var report: EventReport {
        switch self {
        case .count(let count), .appended(let count): Self.gauge(count)
        case .began:
            .line(.warning, "Revocations are written to the journal, because the state is unavailable")
        case .cut(let bytes):
            .line(.warning, "Incomplete end of the journal of revocations cut off", ["bytes": bytes])
        case .replayed(let count, let left):
            .counter("gatefold_revocations_replayed_total", by: count)
                .log(.notice, "Revocations of the journal written to the state", ["count": count, "left": left])
        case .rejected(let rejection, let entries):
            .line(
                .error, "Journal of revocations rejected and renamed",
                ["cause": rejection.rawValue, "entries": entries])
        case .damaged(let count):
            .line(.error, "Damaged entries of the journal of revocations skipped", ["count": count])
        case .failed(let failure):
            .line(.error, "Revocation not written to the journal", ["cause": failure])
        }
    }
}
