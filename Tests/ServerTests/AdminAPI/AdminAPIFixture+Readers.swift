import Backends
import Foundation
import Gatefold
import HTTPTypes
import JSON
import PasswordHashing
import State
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

extension AdminAPIFixture {
    /// A reader in the result of a search.
    struct Found: Sendable {
        let json: JSONValue
        var handle: String { json["reader"]?.text ?? "" }
        var key: String { json["key"]?.text ?? "" }
        var matched: String? { json["matched"]?.text }
    }

    /// Imports readers into the embedded database of a backend.
    ///
    /// - Parameter rows: Rows of `identifier,state,editions,periods`.
    func add(_ rows: String..., to backend: String = "house") async throws {
        let configuration = try #require(publications.value.configuration)
        let kind = try #require(Bootstrap.plan(configuration).kind(backend) as? any SubscriberDatabaseKind)
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "readers.csv")
            let text = (["identifier,state,editions,periods"] + rows).joined(separator: "\n") + "\n"
            try Data(text.utf8).write(to: file)
            let report = try await SubscriberImport(
                into: try kind.openDatabase(), hasher: try PasswordHasher(cost: 1)
            ).run(file: file.path)
            #expect(report.badRows == 0, "\(report)")
        }
    }

    /// Searches in a publication.
    func find(_ query: String, _ token: String, in publication: PublicationID = daily) async -> ReceivedResponse {
        let body = String(decoding: JSONWriter.bytes(["query": .string(query)]), as: UTF8.self)
        return await send(.post, "/publications/\(publication)/readers/search", token, body: body)
    }

    /// Returns the readers that a search finds.
    func readers(
        _ query: String, _ token: String, in publication: PublicationID = daily
    ) async -> [Found] {
        await find(query, token, in: publication).json["readers"]?.items?.map { Found(json: $0) } ?? []
    }

    /// Returns the path of an operation of a reader.
    func path(_ handle: String, _ end: String = "", in publication: PublicationID = daily) -> String {
        "/publications/\(publication)/readers/\(handle)\(end)"
    }

    /// Returns the entries of the audit log, oldest first.
    func audited() async throws -> [AuditEntry] {
        try await state.page(AuditQuery(.oldestFirst(after: nil), limit: 999))
    }
}
