import FrontDoors
import Gatefold
import HTTPTypes
import NIOCore

/// An answer as it went out, or what it takes to make it again, with its request.
final class KeptAnswer {
    enum Content {
        case bytes(ByteBuffer)
        case form(CredentialsForm, next: @Sendable () throws -> EditionCredentials)
    }

    let request: ByteBuffer
    let peer: ClientAddress?
    private let content: Content
    private let firstSize: Int
    let status: HTTPResponse.Status
    let route: String
    let standing: Standing
    let given: @Sendable () -> Void
    let meters: RequestMeters.Meters
    /// For the log.
    let path: Substring
    let client: ClientAddress?
    /// Whether it was asked for while it was kept.
    var wasFound = false

    /// - Parameters:
    ///   - request: copied, because it is mostly a small part of what was received at once.
    ///   - first: what went out.
    init(
        to request: ByteBuffer, from peer: ClientAddress?, _ content: Content, first: ByteBuffer,
        status: HTTPResponse.Status,
        route: String, standing: Standing, given: @escaping @Sendable () -> Void,
        meters: RequestMeters.Meters, path: Substring, client: ClientAddress?
    ) {
        self.request = ByteBuffer(bytes: request.readableBytesView)
        self.peer = peer
        self.content = content
        firstSize = first.storageCapacity
        self.status = status
        self.route = route
        self.standing = standing
        self.given = given
        self.meters = meters
        self.path = path
        self.client = client
    }

    /// What goes out; nil where it could not be made again, which whoever answers further in can say more of.
    var bytes: ByteBuffer? {
        switch content {
        case .bytes(let bytes): bytes
        case .form(let form, let next): (try? next()).flatMap { form.filled(with: $0) }
        }
    }

    /// In bytes, with what the closures hold, which is what the first answer was made of, and the place in a table.
    var size: Int { request.storageCapacity + firstSize + 2048 }
}
