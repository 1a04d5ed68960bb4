import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Primitives

/// An error of an HTTP request to another system. It holds no URL, header or body, because any of them may hold a
/// credential.
package enum HTTPFailure: BackendFailure, Equatable {
    case unreachable
    case timedOut
    case connectionLost
    case untrusted
    case malformed
    case tooLarge(limit: Int)
    case encoded
    case other(String)

    package var cause: String {
        switch self {
        case .unreachable: "the service could not be reached"
        case .timedOut: "the service did not respond in time"
        case .connectionLost: "the service closed the connection before its response was complete"
        case .untrusted: "no TLS connection: the certificate or the protocol of one side was not accepted by the other"
        case .malformed: "the service's response is not HTTP"
        case .tooLarge(let limit): "the service's response is larger than \(limit) bytes"
        case .encoded: "the service sent a compressed response that was not requested"
        case .other(let kind): "the request failed (\(kind))"
        }
    }

    package init(_ error: any Error) {
        switch error {
        case let failure as HTTPFailure: self = failure
        case let error as HTTPClientError: self = Self.client(error)
        case let error as IOError:
            self = Self.connectionLossCodes.contains(error.errnoCode) ? .connectionLost : .unreachable
        case is NIOConnectionError: self = .unreachable
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: self = .untrusted
        case HTTPParserError.invalidEOFState: self = .connectionLost
        case is HTTPParserError: self = .malformed
        case is ChannelError: self = .connectionLost
        default: self = .other("\(type(of: error))")
        }
    }

    private static let connectionLossCodes: Set<CInt> = [ECONNRESET, EPIPE, ECONNABORTED]

    private static func client(_ error: HTTPClientError) -> HTTPFailure {
        switch error {
        case .remoteConnectionClosed: .connectionLost
        case .readTimeout, .writeTimeout, .deadlineExceeded: .timedOut
        // A timeout before the connection is ready does not prove that the service was reached.
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout: .unreachable
        default: .other(error.shortDescription)
        }
    }
}
