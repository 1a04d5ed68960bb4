import Synchronization

/// A record of the calls of a backend and of the data that they returned, for an operator who examines one reader.
///
/// A backend writes to the trace of its task, if there is one. Readers' requests have none. The record contains personal
/// data, which a report must mask.
package final class QueryTrace: Sendable {
    @TaskLocal package static var current: QueryTrace?

    /// One field of the system's data about the reader.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let values: [String]
        /// A Boolean value that indicates whether the values may identify the reader.
        package let isPersonal: Bool

        package init(_ name: String, _ values: [String], isPersonal: Bool) {
            self.name = name
            self.values = values
            self.isPersonal = isPersonal
        }
    }

    private struct Contents {
        var calls: [String] = []
        var fields: [[Field]] = []
    }

    private let contents = Mutex(Contents())

    package init() {}

    /// The statements and requests that were sent, by their names in the configuration, such as `queries.subscription`.
    package var calls: [String] { contents.withLock(\.calls) }

    /// The data about the reader, one list of fields for each record.
    package var records: [[Field]] { contents.withLock(\.fields) }

    /// Records that a statement or a request is about to be sent.
    package static func begin(_ call: String) {
        current?.contents.withLock { $0.calls.append(call) }
    }

    /// Records the data about the reader before it is mapped.
    package static func received(_ fields: () -> [Field]) {
        guard let current else { return }
        let fields = fields()
        current.contents.withLock { $0.fields.append(fields) }
    }
}
