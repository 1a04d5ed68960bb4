import Gatefold
package import JSON
import Primitives

/// A page of a list, and the cursor of the next one.
///
/// A cursor is opaque: the key of the last item, sealed, and bound to the operation, the publication and the filters. It
/// therefore neither reveals a value nor can be changed or used for another list.
package enum AdminPage {
    package static let defaultLimit = 50
    package static let maxLimit = 200
    /// The keys of a list have up to 600 bytes.
    static let maxCursor = 1_200
    private static let purpose = "gatefold admin cursor 1"

    static let parameters = [
        AdminProperty(
            "limit", .integer(1...maxLimit), "The maximum number of items. Default: \(defaultLimit).",
            isRequired: false),
        AdminProperty(
            "cursor", .string(AdminText(1...maxCursor, .base64URL)), "The member `next` of the page before.",
            isRequired: false),
    ]

    static func schema(of item: AdminSchema) -> AdminSchema {
        .object([
            AdminProperty("items", .list(item), "The items."),
            AdminProperty(
                "next", .nullable(.string(AdminText(1...maxCursor, .base64URL))),
                "The `cursor` of the next page; null at the end."),
        ])
    }

    /// The part of a list that a request asks for.
    package struct Request: Sendable {
        package let limit: Int
        /// The key of the last item of the page before; nil for the first page.
        package let after: String?
        /// The digest of all else that the list depends on.
        let list: [UInt8]
        let key: PseudonymKey

        /// - Parameter list: The parts that the list depends on: the operation, the publication and the filters.
        /// - Throws: ``AdminProblem``, unless the cursor was sealed for this list.
        init(limit: Int?, cursor: String?, list: [String], key: PseudonymKey) throws(AdminProblem) {
            self.limit = limit ?? defaultLimit
            self.key = key
            self.list = Array(key.digest(purpose, list).prefix(16))
            guard let cursor else {
                after = nil
                return
            }
            guard let bytes = Base64URL.decode(cursor), let plain = key.open(bytes, for: purpose),
                plain.starts(with: self.list),
                let text = String(validating: plain.dropFirst(self.list.count), as: UTF8.self)
            else { throw .invalid(AdminProblem.Fault("cursor", "the member `next` of a page of the same list")) }
            after = text
        }

        private func cursor(_ last: String) throws -> JSONValue {
            .string(Base64URL.encode(try key.seal(list + Array(last.utf8), for: purpose)))
        }

        /// Returns a page of items that were read for this request.
        ///
        /// - Parameter items: The items after ``after`` with their keys, at most one more than ``limit``.
        package func page(_ items: [(key: String, json: JSONValue)]) throws -> JSONValue {
            let shown = items.prefix(limit)
            let next = items.count > limit ? try shown.last.map { try cursor($0.key) } : nil
            return ["items": .array(shown.map(\.json)), "next": next ?? .null]
        }

        /// Returns a page of a list that has cursors of its own.
        ///
        /// - Parameter next: The key after which the next page begins; nil at the end.
        package func page(_ items: [JSONValue], next: String?) throws -> JSONValue {
            ["items": .array(items), "next": try next.map { try cursor($0) } ?? .null]
        }

        /// Returns a page of a list that is complete in memory, in any order.
        ///
        /// Only the items of the page become JSON.
        ///
        /// - Parameters:
        ///   - key: Returns the key of a value, by which the list is ordered. Each is unique.
        ///   - isAscending: Whether the keys ascend.
        package func page<Value>(
            ofAll values: some Sequence<Value>, isAscending: Bool = true, by key: (Value) -> String,
            json: (Value) -> JSONValue
        ) throws -> JSONValue {
            func precedes(_ one: String, _ other: String) -> Bool { isAscending ? one < other : one > other }
            // The first values after the cursor in their order, at most one more than the page has.
            var first: [(key: String, value: Value)] = []
            for value in values {
                let key = key(value)
                if let after, !precedes(after, key) { continue }
                if first.count > limit {
                    guard let last = first.last, precedes(key, last.key) else { continue }
                    first.removeLast()
                }
                let place = first.lastIndex { precedes($0.key, key) }.map { $0 + 1 } ?? 0
                first.insert((key, value), at: place)
            }
            return try page(
                first.prefix(limit).map { json($0.value) },
                next: first.count > limit ? first[limit - 1].key : nil)
        }
    }
}
