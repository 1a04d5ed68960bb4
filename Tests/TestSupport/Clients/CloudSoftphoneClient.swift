import Foundation
import XML

/// A client of the in-app-purchase web service that behaves like the app (Cloud Softphone protocol, “Settings of the
/// app”): inserts values into the provider's templates without escaping and trusts the status.
public struct CloudSoftphoneClient: Sendable {
    public enum Outcome: Sendable, Equatable {
        case delivered
        /// - Parameter message: The message of the response, or nil if none can be parsed.
        case failed(status: Int, message: String?)
    }

    /// The settings `iapWsUrl`, `iapWsPostData` and `iapWsContentType`.
    public static let template =
        "/title/iap?receipt=%receipt%&productCode=%productCode%&username=%account[username]%&price=%price%"

    public var url: String
    public var postData: String
    public var contentType: String
    /// The method in newer versions. The default is GET without post data and POST with it.
    public var method: String?
    public var headers: [(String, String)] = []

    public init(
        url: String = Self.template, postData: String = "", contentType: String = "application/x-www-form-urlencoded",
        method: String? = nil
    ) {
        self.url = url
        self.postData = postData
        self.contentType = contentType
        self.method = method
    }

    public static let form = CloudSoftphoneClient(
        url: "/title/iap",
        postData: "receipt=%receipt%&productCode=%productCode%&username=%account[username]%&price=%price%")
    public static let json = CloudSoftphoneClient(
        url: "/title/iap",
        postData:
            #"{"receipt":"%receipt%","productCode":"%productCode%","username":"%account[username]%","price":"%price%"}"#,
        contentType: "application/json")

    public func buy(
        _ product: String, receipt: String?, as account: String = "1001", price: String = "4,99", port: Int
    ) async throws -> Outcome {
        let response = try await call(product, receipt: receipt, as: account, price: price, port: port)
        guard !(200..<300).contains(response.status) else {
            // An unparsable body is an error. An empty one needs no parsing.
            return response.body.isEmpty || Self.message(response) != nil
                ? .delivered : .failed(status: response.status, message: nil)
        }
        return .failed(status: response.status, message: Self.message(response))
    }

    public func call(
        _ product: String, receipt: String?, as account: String = "1001", price: String = "4,99", port: Int
    ) async throws -> RawResponse {
        func filled(_ template: String) -> String {
            var text = template
            var values = ["productCode": product, "account[username]": account, "price": price]
            values["receipt"] = receipt
            for (name, value) in values { text = text.replacing("%\(name)%", with: value) }
            return text
        }
        let body = Array(filled(postData).utf8)
        var request = "\(method ?? (body.isEmpty ? "GET" : "POST")) \(filled(url)) HTTP/1.1\r\n"
        request += "Host: 127.0.0.1:\(port)\r\nUser-Agent: CloudSoftphone/1.5.6\r\nConnection: close\r\n"
        request += "Cache-Control: max-age=0\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        if !body.isEmpty { request += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n" }
        return try await RawHTTP(port: port).exchange(
            Array("\(request)\r\n".utf8) + body, isHead: method == "HEAD", isLast: true)
    }

    /// Returns the field `message` according to the response's content type.
    private static func message(_ response: RawResponse) -> String? {
        switch response["Content-Type"]?.split(separator: ";").first {
        case nil, "application/xml":
            let root = (try? XMLDocument(parsing: response.body))?.root
            return root?.child("message")?.text
        case "application/json":
            let object = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
            return object?["message"] as? String
        case "application/x-www-form-urlencoded":
            let pairs = URLComponents(string: "?\(response.text)")?.queryItems
            return pairs?.first { $0.name == "message" }?.value
        default: return nil
        }
    }
}
