import Primitives

/// The verification of the audit log, page by page, so that its memory is bounded.
package struct AuditVerification: Sendable {
    /// The number of entries that are in memory at the same time.
    package static let pageSize = 1_000

    /// A broken place in the log.
    package struct Break: Sendable, Hashable, CustomStringConvertible {
        package enum Cause: String, Sendable {
            /// The entry does not have the hash that its values require.
            case changed
            /// There is no entry with this number, but there are later ones.
            case missing
            /// The entry does not continue the entry before: one of them was moved, inserted or replaced.
            case reordered
            /// The log ends before the noted head.
            case truncated
            /// The log is intact, but the entry is not the noted head: the log was replaced.
            case replaced
        }

        package let sequence: Int64
        package let cause: Cause

        package init(sequence: Int64, cause: Cause) {
            self.sequence = sequence
            self.cause = cause
        }

        package var description: String {
            let meaning =
                switch cause {
                case .changed: "is changed"
                case .missing: "is missing"
                case .reordered: "does not continue the entry before it: one of them was moved, inserted or replaced"
                case .truncated: "is missing, and so are all after it: the log ends before the expected head"
                case .replaced: "is not the expected head"
                }
            return "entry \(sequence) \(meaning)"
        }
    }

    package struct Report: Sendable, Hashable {
        /// The number of entries that are intact, up to the first break.
        package let intact: Int64
        /// The last of them; nil if there is none.
        package let head: AuditHead?
        package let firstBreak: Break?

        package init(intact: Int64, head: AuditHead?, firstBreak: Break?) {
            self.intact = intact
            self.head = head
            self.firstBreak = firstBreak
        }
    }

    private let chain: AuditChain
    private let expected: AuditHead?
    private var last: AuditHead?

    /// - Parameter expected: The head that was noted outside of the state; nil for none.
    private init(_ chain: AuditChain, expecting expected: AuditHead?) {
        self.chain = chain
        self.expected = expected
    }

    /// Reads the whole log, up to the first break.
    ///
    /// - Throws: The error of the log.
    package static func run(
        _ log: any AuditLog, _ chain: AuditChain, expecting expected: AuditHead? = nil, pageSize: Int = pageSize
    ) async throws -> Report {
        var verification = AuditVerification(chain, expecting: expected)
        while true {
            // An entry with a number below 1 is an inserted one, so the first page begins with the smallest number.
            let page = try await log.page(AuditQuery(.oldestFirst(after: verification.last?.sequence), limit: pageSize))
            for entry in page {
                if let cause = verification.add(entry) { return verification.report(cause) }
            }
            if page.count < pageSize { return verification.report(verification.end()) }
        }
    }

    private func report(_ firstBreak: Break?) -> Report {
        Report(intact: last?.sequence ?? 0, head: last, firstBreak: firstBreak)
    }

    /// Adds the next entry, unless it is broken.
    private mutating func add(_ entry: AuditEntry) -> Break? {
        let next = (last?.sequence ?? 0) + 1
        if entry.sequence < next { return Break(sequence: entry.sequence, cause: .reordered) }
        if entry.sequence > next { return Break(sequence: next, cause: .missing) }
        guard isEqualInConstantTime(entry.previous, last?.hash ?? AuditChain.start) else {
            return Break(sequence: next, cause: .reordered)
        }
        guard !entry.hasInvalidText, isEqualInConstantTime(entry.hash, chain.hash(of: entry)) else {
            return Break(sequence: next, cause: .changed)
        }
        if let expected, expected.sequence == next, !isEqualInConstantTime(expected.hash, entry.hash) {
            return Break(sequence: next, cause: .replaced)
        }
        last = entry.head
        return nil
    }

    private func end() -> Break? {
        let count = last?.sequence ?? 0
        guard let expected, expected.sequence > count else { return nil }
        return Break(sequence: count + 1, cause: .truncated)
    }
}
