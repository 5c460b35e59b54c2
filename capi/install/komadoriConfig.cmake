# find_package(komadori) gives the target komadori::komadori, for C and C++.
if(NOT TARGET komadori::komadori)
  get_filename_component(_komadori_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(komadori::komadori SHARED IMPORTED)
  set_target_properties(komadori::komadori PROPERTIES
    IMPORTED_LOCATION "${_komadori_prefix}/lib/libkomadori.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_komadori_prefix}/include")
  unset(_komadori_prefix)
endif()
