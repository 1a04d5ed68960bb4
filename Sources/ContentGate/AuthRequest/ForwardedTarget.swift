package import HTTPTypes
import Hummingbird

/// How a front server tells the auth-request endpoint which request it asks about.
///
/// One is configured and only that one is read: the other's headers, and other spellings of this one's, change nothing
/// (PITFALLS row 11). A front server must set its headers itself, whatever the client sent under the same names.
public enum ForwardedTarget: Sendable, Hashable {
    /// `X-Original-URI` and `X-Original-Method`: nginx, Apache, HAProxy, Varnish.
    case original
    /// `X-Forwarded-Uri` and `X-Forwarded-Method`: Caddy and Traefik.
    case forwarded
    /// The endpoint's own target after this path, and the request's own method: Envoy's `path_prefix`.
    case pathPrefix(String)

    /// The original method and target; nil when they are missing, told twice or as a list.
    ///
    /// A front server that does not tell the method asks in its own request's, which is then GET or HEAD.
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

    /// The same of a request whose headers are read already, each said once.
    ///
    /// - Parameter otherwise: the method of the front server's own request.
    package static func read(
        target: String, method: String?, otherwise: HTTPRequest.Method
    ) -> (method: HTTPRequest.Method, target: String)? {
        guard target.utf8.first == UInt8(ascii: "/"), !isList(target) else { return nil }
        guard let method else { return (otherwise, target) }
        return HTTPRequest.Method(method).map { ($0, target) }
    }

    /// Whether a comma is followed by another path: two values that something on the way made one.
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
