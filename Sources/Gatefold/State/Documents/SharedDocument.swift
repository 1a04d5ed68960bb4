package import Foundation

/// A document that one node fetches and all nodes use, such as a catalogue.
package struct SharedDocument: Sendable, Equatable {
    /// The name, which includes a fingerprint of the settings: nodes with other settings have another document.
    package let name: String
    /// The SHA-256 of the content; nil if no fetch has succeeded yet.
    package var version: Data?
    /// The number of parts of the content.
    package var parts: Int
    /// The result of the last fetch, in a format of the document's user.
    package var details: Data
    /// The time at which the next fetch is due, by the clock of the state.
    package var due: Date
    /// A number that grows with each write, by which documents are ordered without the clocks of nodes. The store
    /// assigns it.
    package var sequence: Int64

    package init(
        name: String, version: Data? = nil, parts: Int = 0, details: Data = Data(), due: Date, sequence: Int64 = 0
    ) {
        self.name = name
        self.version = version
        self.parts = parts
        self.details = details
        self.due = due
        self.sequence = sequence
    }
}

/// A store of shared documents. A document is written under a lease of its name: the writes of a node that was paused past
/// its lease have no effect.
package protocol SharedDocumentStore: LeaseStore {
    /// Returns all documents without their contents.
    func sharedDocuments() async throws -> [SharedDocument]

    /// Returns a part of a content.
    ///
    /// - Parameter number: The number of the part, from 0.
    /// - Returns: Nil if the document has another version meanwhile.
    func part(_ number: Int, of version: Data, in name: String) async throws -> Data?

    /// Stores a part of a content that is not current yet.
    ///
    /// - Parameter owner: The owner of the lease with the name of the document.
    /// - Returns: False if the lease is lost.
    func storePart(_ content: Data, _ number: Int, of version: Data, in name: String, owner: [UInt8]) async throws
        -> Bool

    /// Replaces the current document. The parts of its former version remain until ``deleteFormerParts(of:owner:)``.
    ///
    /// - Parameters:
    ///   - document: The document. Its sequence number has no effect.
    ///   - owner: The owner of the lease with the name of the document.
    /// - Returns: The sequence number of the document; nil if the lease is lost, or if a part of the content is missing.
    func replace(_ document: SharedDocument, owner: [UInt8]) async throws -> Int64?

    /// Deletes a few parts of versions that are not current. The number is bounded, because the deletion of a whole
    /// content takes longer than a statement may.
    ///
    /// - Parameter owner: The owner of the lease with the name of the document.
    /// - Returns: True if more parts may be left; false also if the lease is lost.
    func deleteFormerParts(of name: String, owner: [UInt8]) async throws -> Bool
}
