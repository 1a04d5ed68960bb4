import Foundation
import FrontDoors
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import XML

/// A parsed response, checked against its schema.
struct PugpigDocumentResponse {
    let response: TestResponse
    let root: XMLElement

    enum Kind: String {
        case token = "token-or-error"
        case subscription, credentials
    }

    init(_ response: TestResponse, _ kind: Kind) throws {
        self.response = response
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "text/xml; charset=utf-8")
        #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
        let bytes = Array(response.body.readableBytesView)
        root = try XMLDocument(parsing: bytes).root
        #expect(try Schemas.schema(kind).errors(in: bytes) == [])
    }

    var status: String? { (root.child("error") ?? root).attributes["status"] }
    var message: String? { (root.child("error") ?? root).attributes["message"] }
    /// The listed issues, or nil without a list.
    var issues: Set<String>? { root.child("issues").map { Set($0.children.map(\.text)) } }
    var isGranted: Bool {
        !(root.child("userid")?.text ?? "").isEmpty && !(root.child("password")?.text ?? "").isEmpty
    }
}

enum Schemas {
    static func schema(_ kind: PugpigDocumentResponse.Kind) throws -> RelaxNGSchema {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/pugpig/\(kind.rawValue).rng").standardizedFileURL
        return try RelaxNGSchema(String(contentsOf: file, encoding: .utf8))
    }
}
