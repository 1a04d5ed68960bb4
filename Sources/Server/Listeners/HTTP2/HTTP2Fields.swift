import HTTPTypes
import Hummingbird
import NIOHPACK

extension HTTPRequest {
    /// Creates the head of a request from the fields of a HEADERS frame, as NIO's codec does. Returns nil if a
    /// pseudo-header field is missing, unknown, repeated or in the wrong place.
    ///
    /// `NIOHTTP2Handler` has validated the fields (RFC 9113 section 8.2), so that this is the second check.
    init?(fields: HPACKHeaders) {
        var method: String?
        var scheme: String?
        var authority: String?
        var path: String?
        var others = HTTPFields()
        others.reserveCapacity(fields.count)
        var hasOther = false
        for (name, value, indexing) in fields {
            guard name.utf8.first == UInt8(ascii: ":") else {
                hasOther = true
                guard let name = FieldName.known[name] ?? HTTPField.Name(name) else { continue }
                var field = HTTPField(name: name, value: value)
                field.indexingStrategy = HTTPField.DynamicTableIndexingStrategy(indexing)
                others.append(field)
                continue
            }
            if hasOther { return nil }
            switch name {
            case ":method": guard Self.set(&method, value) else { return nil }
            case ":scheme": guard Self.set(&scheme, value) else { return nil }
            case ":authority": guard Self.set(&authority, value) else { return nil }
            case ":path": guard Self.set(&path, value) else { return nil }
            default: return nil
            }
        }
        guard let method = method.flatMap({ FieldName.method($0) }) else { return nil }
        self.init(method: method, scheme: scheme, authority: authority, path: path, headerFields: others)
    }

    private static func set(_ field: inout String?, _ value: String) -> Bool {
        guard field == nil else { return false }
        field = value
        return true
    }
}

extension HPACKHeaders {
    /// Creates the fields of the HEADERS frame of a response.
    init(_ response: Response) {
        self.init()
        reserveCapacity(response.headers.count + 1)
        add(name: ":status", value: response.status == .ok ? "200" : String(response.status.code))
        add(response.headers)
    }

    /// Creates the fields of a HEADERS frame behind the body.
    init(trailers: HTTPFields) {
        self.init()
        add(trailers)
    }

    private mutating func add(_ fields: HTTPFields) {
        for field in fields {
            // Lengths differ between responses and would displace the fields that all responses have in common.
            let indexing = field.name == .contentLength ? .nonIndexable : HPACKIndexing(field.indexingStrategy)
            add(name: field.name.canonicalName, value: field.value, indexing: indexing)
        }
    }
}

/// The names and methods that most requests have. They need not be checked and made for each request.
private enum FieldName {
    static let known: [String: HTTPField.Name] = {
        let names: [HTTPField.Name] = [
            .accept, .acceptEncoding, .acceptLanguage, .authorization, .contentLength, .contentType, .cookie,
            .ifModifiedSince, .ifNoneMatch, .origin, .range, .referer,
        ]
        return Dictionary(uniqueKeysWithValues: names.map { ($0.canonicalName, $0) })
    }()

    static func method(_ text: String) -> HTTPRequest.Method? {
        switch text {
        case "GET": .get
        case "POST": .post
        default: HTTPRequest.Method(text)
        }
    }
}

extension HTTPField.DynamicTableIndexingStrategy {
    fileprivate init(_ indexing: HPACKIndexing) {
        switch indexing {
        case .indexable: self = .automatic
        case .nonIndexable: self = .avoid
        case .neverIndexed: self = .disallow
        }
    }
}

extension HPACKIndexing {
    fileprivate init(_ strategy: HTTPField.DynamicTableIndexingStrategy) {
        switch strategy {
        case .avoid: self = .nonIndexable
        case .disallow: self = .neverIndexed
        default: self = .indexable
        }
    }
}
