package import HTTPTypes
import Hummingbird

/// The convention by which a front server names the original request to the auth-request endpoint.
///
/// Exactly one convention is configured and read. Headers of the other conventions, and other spellings of these
/// headers, have no effect. A front server must set its headers itself and overwrite headers of the same names from
/// the client.
///
/// Source: Pitfall 11, “Header spoofing”.
public enum ForwardedTarget: Sendable, Hashable {
    /// `X-Original-URI` and `X-Original-Method`: nginx, Apache, HAProxy, Varnish.
    case original
    /// `X-Forwarded-Uri` and `X-Forwarded-Method`: Caddy and Traefik.
    case forwarded
    /// The endpoint's own target after this path, and the request's own method: Envoy's `path_prefix`.
    case pathPrefix(String)

    /// Returns the original method and target, or `nil` if they are missing, repeated or a list.
    ///
    /// If a front server does not name the method, the method of its own request counts, which is then GET or HEAD.
    package func read(_ head: HTTPRequest) -> (method: HTTPRequest.Method, target: String)? {
        switch self {
        case .original:
            Self.read(head, target: .originalURI, method: .originalMethod)
        case .forwarded:
            Self.read(head, target: .forwardedURI, method: .forwardedMethod)
        case .pathPrefix(let prefix):
            Self.cut(prefix, from: head.path ?? "").map { (head.method, $0) }
        }
    }

    private static func read(
        _ head: HTTPRequest, target: HTTPField.Name, method: HTTPField.Name
    ) -> (method: HTTPRequest.Method, target: String)? {
        let targets = head.headerFields[values: target]
        let methods = head.headerFields[values: method]
        guard targets.count == 1, methods.count <= 1 else { return nil }
        return read(target: targets[0], method: methods.first, otherwise: head.method)
    }

    /// Returns the original method and target from headers that are read already and occur once.
    ///
    /// - Parameter otherwise: The method of the front server's own request.
    package static func read(
        target: String, method: String?, otherwise: HTTPRequest.Method
    ) -> (method: HTTPRequest.Method, target: String)? {
        guard target.utf8.first == UInt8(ascii: "/"), !isList(target) else { return nil }
        guard let method else { return (otherwise, target) }
        return HTTPRequest.Method(method).map { ($0, target) }
    }

    /// Returns whether a comma is followed by another path. Such a value is two values that an intermediary joined.
    private static func isList(_ value: String) -> Bool {
        guard value.utf8.contains(UInt8(ascii: ",")) else { return false }
        let bytes = Array(value.utf8)
        return bytes.indices.contains { index in
            bytes[index] == UInt8(ascii: ",")
                && bytes[(index + 1)...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
                    == UInt8(ascii: "/")
        }
    }

    private static func cut(_ prefix: String, from target: String) -> String? {
        let bytes = Array(target.utf8)
        guard bytes.starts(with: prefix.utf8) else { return nil }
        let rest = bytes.dropFirst(prefix.utf8.count)
        return rest.first == UInt8(ascii: "/") ? String(decoding: rest, as: UTF8.self) : nil
    }
}
