import FrontDoors
import Gatefold
import HTTPTypes
import NIOCore

/// A cached response with its request: either the bytes that were sent or the parts from which the response is made
/// again.
final class CachedResponse {
    enum Content {
        case bytes(ByteBuffer)
        case form(CredentialsTemplate, next: @Sendable () throws -> EditionCredentials)
    }

    let request: ByteBuffer
    let peer: ClientAddress?
    private let content: Content
    private let firstSize: Int
    let status: HTTPResponse.Status
    let route: String
    let validity: CacheValidity
    let commit: @Sendable () -> Void
    let routeMetrics: RequestMetrics.RouteMetrics
    /// The path for the log.
    let path: Substring
    let client: ClientAddress?
    /// A Boolean value that indicates whether the cached response was requested again.
    var wasFound = false

    /// - Parameters:
    ///   - request: The request. It is copied, because it is mostly a small part of the bytes received together.
    ///   - first: The response that was sent.
    init(
        to request: ByteBuffer, from peer: ClientAddress?, _ content: Content, first: ByteBuffer,
        status: HTTPResponse.Status,
        route: String, validity: CacheValidity, commit: @escaping @Sendable () -> Void,
        routeMetrics: RequestMetrics.RouteMetrics, path: Substring, client: ClientAddress?
    ) {
        self.request = ByteBuffer(bytes: request.readableBytesView)
        self.peer = peer
        self.content = content
        firstSize = first.storageCapacity
        self.status = status
        self.route = route
        self.validity = validity
        self.commit = commit
        self.routeMetrics = routeMetrics
        self.path = path
        self.client = client
    }

    /// The bytes to send; nil if the response could not be made again. The inner handlers can then give a more
    /// precise response.
    var bytes: ByteBuffer? {
        switch content {
        case .bytes(let bytes): bytes
        case .form(let form, let next): (try? next()).flatMap { form.filled(with: $0) }
        }
    }

    /// The size in bytes, including the values that the closures hold, which are the parts of the first response,
    /// and including the dictionary entry.
    var size: Int { request.storageCapacity + firstSize + 2048 }
}
