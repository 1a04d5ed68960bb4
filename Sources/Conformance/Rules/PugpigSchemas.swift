import XML

/// The documents of the calls in RELAX NG, with their elements and attributes. Other rules judge the values,
/// because they can describe a fault better.
package struct PugpigSchemas {
    private let byCall: [Call: RelaxNGSchema]

    package init() throws {
        let token = try RelaxNGSchema(Self.token)
        byCall = [
            .signIn: token, .renewToken: token, .verifySubscription: try RelaxNGSchema(Self.subscription),
            .editionCredentials: try RelaxNGSchema(Self.credentials),
        ]
    }

    /// Returns the faults in the document of a call, or an empty array if there are none.
    ///
    /// - Throws: `XMLError` if the bytes are not a well-formed document.
    package func errors(in bytes: [UInt8], of call: Call) throws -> [String] {
        guard let schema = byCall[call] else { return [] }
        guard let closed = Self.closed[call] else { return try schema.errors(in: bytes) }
        return try schema.errors(in: bytes) { name, namespace in !(namespace.isEmpty && closed.contains(name)) }
    }

    /// The protocol's elements of the schemas that also allow other elements.
    private static let closed: [Call: Set<String>] = [
        .signIn: [XMLElement.dovetailToken], .renewToken: [XMLElement.dovetailToken],
        .editionCredentials: ["userid", "password", "header", "error"],
    ]

    private static let error = """
        <define name="error">
          <element name="error">
            <optional><attribute name="status"/></optional>
            <optional><attribute name="message"/></optional>
            <text/>
          </element>
        </define>
        """

    private static func grammar(_ start: String, _ more: String = "") -> String {
        """
        <grammar xmlns="http://relaxng.org/ns/structure/1.0">
        <start>\(start)</start>
        \(error)\(more.isEmpty ? "" : "\n" + more)
        </grammar>
        """
    }

    /// The schema of sign-in and renewal. Dovetail's document may have other elements in addition to the token.
    ///
    /// Source: Subscription systems CDS and Dovetail, “Dovetail sign-in”.
    package static let token = grammar(
        """
        <choice>
          <element name="token"><optional><attribute name="global_auth_password"/></optional><text/></element>
          <element name="result_response">
            <interleave>
              <element name="authToken"><text/></element>
              <zeroOrMore><ref name="other"/></zeroOrMore>
            </interleave>
          </element>
          <ref name="error"/>
        </choice>
        """,
        """
        <define name="other">
          <element>
            <anyName><except><name>authToken</name></except></anyName>
            <zeroOrMore><choice><attribute><anyName/></attribute><text/><ref name="other"/></choice></zeroOrMore>
          </element>
        </define>
        """)

    /// The schema of a verification. Some clients read `term` and others `value`, so a category has at least one of
    /// them.
    ///
    /// Source: Pugpig protocol, “User information categories”.
    package static let subscription = grammar(
        """
        <element name="subscription">
          <attribute name="state"/>
          <optional><attribute name="message"/></optional>
          <interleave>
            <optional>
              <element name="userinfo">
                <zeroOrMore>
                  <element name="category">
                    <attribute name="scheme"/>
                    <choice>
                      <attribute name="term"/>
                      <attribute name="value"/>
                      <group><attribute name="term"/><attribute name="value"/></group>
                    </choice>
                    <empty/>
                  </element>
                </zeroOrMore>
              </element>
            </optional>
            <optional>
              <element name="issues"><zeroOrMore><element name="issue"><text/></element></zeroOrMore></element>
            </optional>
          </interleave>
        </element>
        """)

    /// The schema of edition credentials. Apps find the elements by name, so the order is free and other elements
    /// are allowed. A bare error at the root is valid here, because a separate rule judges it.
    ///
    /// Source: Pugpig protocol, “Order of elements” and “Position of the error element”.
    package static let credentials = grammar(
        """
        <choice>
          <element name="credentials">
            <choice>
              <interleave>
                <element name="userid"><text/></element>
                <element name="password"><text/></element>
                <zeroOrMore><element name="header"><attribute name="name"/><text/></element></zeroOrMore>
                <zeroOrMore><ref name="extra"/></zeroOrMore>
              </interleave>
              <ref name="error"/>
            </choice>
          </element>
          <ref name="error"/>
        </choice>
        """,
        """
        <define name="extra">
          <element>
            <anyName><except><name>userid</name><name>password</name><name>header</name><name>error</name></except></anyName>
            <ref name="anything"/>
          </element>
        </define>
        <define name="anything">
          <zeroOrMore>
            <choice>
              <attribute><anyName/></attribute>
              <text/>
              <element><anyName/><ref name="anything"/></element>
            </choice>
          </zeroOrMore>
        </define>
        """)
}
